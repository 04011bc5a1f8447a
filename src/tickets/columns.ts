import { TerminalError } from '../core/errors.ts';

/**
 * The columns each field is read from, most telling first: names of common helpdesk exports without case, spaces,
 * underscores and hyphens, dots where an export nests them. `ticket`, `issue` and `case` in front are ignored.
 */
const known = {
  id: ['issuekey', 'id', 'number', 'key', 'conversationid', 'ref', 'reference'],
  subject: ['subject', 'title', 'summary', 'shortdescription', 'metadata.subject', 'source.subject'],
  body: ['body', 'description', 'message', 'text', 'content', 'question', 'source.body', 'comment.body'],
  from: [
    'from',
    'requesteremail',
    'customeremail',
    'email',
    'emailaddress',
    'fromemail',
    'contactemail',
    'requester',
    'customer',
    'requestername',
    'customername',
    'reporter',
    'sender',
    'fullname',
    'requester.email',
    'customer.email',
    'requester.name',
    'customer.name',
    'source.author.email',
    'customerid',
    'requesterid',
  ],
  createdAt: [
    'createdat',
    'created',
    'createdtime',
    'createdon',
    'createddate',
    'datecreated',
    'date',
    'openedat',
  ],
  priority: ['priority'],
  tags: ['tags', 'tag', 'labels', 'label', 'tags.tags'],
  updatedAt: [
    'updatedat',
    'updated',
    'updatedon',
    'updatetime',
    'updatedtime',
    'lastupdate',
    'lastupdated',
    'lastupdatetime',
    'lastmodified',
    'modified',
  ],
  deleted: ['deleted', 'isdeleted', 'deletedat'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Field = keyof typeof known;

export const fieldNames = Object.keys(known) as readonly Field[];

/** Which columns a field is read from, instead of the recognised ones: all of them, in this order. */
export type ColumnMap = Readonly<Partial<Record<Field, readonly string[]>>>;

/** The columns of one file by field; those under `mapped` fields are joined, of the others the first with text counts. */
export interface Columns {
  readonly of: Readonly<Record<Field, readonly string[]>>;
  readonly mapped: ReadonlySet<Field>;
}

/** A column's name without case, spaces, underscores and hyphens. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '');

const shortName = (plain: string): string =>
  plain
    .replace(/^(fields|attributes|properties|ticket)\./, '')
    .replace(/^(ticket|issue|case)(?=.)/, '')
    .replace(/^tag\d+$/, 'tag');

function rank(field: Field, name: string): number {
  const names: readonly string[] = known[field];
  const plain = plainName(name);
  const exact = names.indexOf(plain);
  if (exact >= 0) return exact;
  const short = names.indexOf(shortName(plain));
  return short < 0 ? short : short + 0.5;
}

function refuse(text: string, problem: string): never {
  throw new TerminalError('invalid_map', `--map ${text}: ${problem}`);
}

/** Reads `subject=Title,body=Text`; a field named twice is made of both columns. Throws `TerminalError` `invalid_map`. */
export function parseMap(text: string): ColumnMap {
  const map: Partial<Record<Field, readonly string[]>> = {};
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(0, at)).trim();
    const column = part.slice(at + 1).trim();
    if (at < 0 || name === '' || column === '') refuse(text, `"${part.trim()}" is not FIELD=COLUMN`);
    const field = fieldNames.find((one) => plainName(one) === plainName(name) || rank(one, name) >= 0);
    if (field === undefined) {
      refuse(text, `there is no field "${name}"; there are: ${fieldNames.join(', ')}`);
    }
    map[field] = [...(map[field] ?? []), column];
  }
  return map;
}

/** Finds the column that `wanted` means: as it is written, else without regard to case and separators. */
function find(names: readonly string[], wanted: string): string | undefined {
  return names.find((name) => name === wanted) ?? names.find((name) => plainName(name) === plainName(wanted));
}

/** The mapped columns that `names` lacks. */
export function missingColumns(names: readonly string[], map: ColumnMap): readonly string[] {
  return Object.values(map)
    .flat()
    .filter((column) => find(names, column) === undefined);
}

/** Says which of the columns `names` make which field. */
export function recognise(names: readonly string[], map: ColumnMap): Columns {
  const taken = new Set(
    Object.values(map)
      .flat()
      .map((column) => find(names, column)),
  );
  const free = names.filter((name) => !taken.has(name));
  const columnsOf = (field: Field): readonly string[] => {
    const wanted = map[field];
    if (wanted !== undefined) return wanted.flatMap((column) => find(names, column) ?? []);
    return free
      .filter((name) => rank(field, name) >= 0)
      .sort((one, other) => rank(field, one) - rank(field, other));
  };
  return {
    of: {
      id: columnsOf('id'),
      subject: columnsOf('subject'),
      body: columnsOf('body'),
      from: columnsOf('from'),
      createdAt: columnsOf('createdAt'),
      priority: columnsOf('priority'),
      tags: columnsOf('tags'),
      updatedAt: columnsOf('updatedAt'),
      deleted: columnsOf('deleted'),
    },
    mapped: new Set(fieldNames.filter((field) => map[field] !== undefined)),
  };
}
