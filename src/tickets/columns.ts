import { TerminalError } from '../core/errors.ts';
import { known } from './known-names.ts';

export type Field = keyof typeof known;

export const fieldNames = Object.keys(known) as readonly Field[];

/** Which columns a field is read from, instead of the recognised ones: all of them, in this order. */
export type ColumnMap = Readonly<Partial<Record<Field, readonly string[]>>>;

/** What the export of a helpdesk is known to do with its texts; a file of unknown origin does nothing of it. */
export interface Habits {
  /** Its texts are HTML: one tag or entity is enough to read one so. */
  readonly html?: true;
  /** Columns that are plain text all the same. */
  readonly plain?: readonly string[];
  /** Line breaks are written as the two characters `\n`. */
  readonly escapedBreaks?: true;
  /** Comments in a cell are `date;author;text`. */
  readonly datedComments?: true;
  /** Tags are parted by blanks. */
  readonly spacedTags?: true;
  /** The documented words of its codes, by column. */
  readonly words?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Rows with one of these words in such a column are skipped: deleted ones, spam. In lower case. */
  readonly unwanted?: Readonly<Record<string, readonly string[]>>;
  /** Columns that say something else than their names do elsewhere: no field is read from them. */
  readonly others?: readonly string[];
  /** Columns that say what another one says, in another form: not kept beside it. */
  readonly twins?: readonly string[];
}

/** The columns of one file by field; those under `mapped` fields are joined, of the others the first with text counts. */
export interface Columns {
  readonly of: Readonly<Record<Field, readonly string[]>>;
  readonly mapped: ReadonlySet<Field>;
  readonly habits: Habits;
  /** The words that make a row unwanted, by column. */
  readonly unwanted: readonly { readonly column: string; readonly words: readonly string[] }[];
}

/** The columns that one export reads a field from before all others, as `plainName` has them. */
export type Preference = Readonly<Partial<Record<Field, readonly string[]>>>;

/** A column's name without case, accents, spaces, underscores and hyphens. */
export function plainName(name: string): string {
  const plain = name.toLowerCase().replace(/[\s_-]+/g, '');
  return /[\u0080-\uffff]/.test(plain)
    ? plain
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC')
    : plain;
}

const shortName = (plain: string): string =>
  plain
    .replace(/^(fields|attributes|properties|ticket)\./, '')
    .replace(/^(ticket|issue|case)(?=.)/, '')
    .replace(/^tag\d+$/, 'tag');

/** Where a column stands among those a field is read from; -1 for one that is none of them. */
function rank(field: Field, name: string, preferred: readonly string[] = []): number {
  const names: readonly string[] = known[field];
  const plain = plainName(name);
  const first = preferred.indexOf(plain);
  if (first >= 0) return first / MOST_PREFERRED;
  const exact = names.indexOf(plain);
  if (exact >= 0) return exact + 1;
  const short = names.indexOf(shortName(plain));
  return short < 0 ? short : short + 1.5;
}

const MOST_PREFERRED = 1000;

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

/** Headers of forms are questions to the customer; only asked where no column has a name of a text. */
const asksForText = /\b(question|problem|issue|describe|details|help|message|feedback|complaint|request)\b/i;
const isSentence = (name: string): boolean => name.trim().split(/\s+/).length >= 3;

/** Says which of the columns `names` make which field. */
export function recognise(
  names: readonly string[],
  map: ColumnMap,
  { first = {}, habits = {} }: { readonly first?: Preference; readonly habits?: Habits } = {},
): Columns {
  const taken = new Set(
    Object.values(map)
      .flat()
      .map((column) => find(names, column)),
  );
  // A column that this export means for one field is no candidate for another.
  const meant = new Map(
    fieldNames.flatMap((field) => (first[field] ?? []).map((plain) => [plain, field] as const)),
  );
  const free = names.filter((name) => !taken.has(name) && habits.others?.includes(plainName(name)) !== true);
  const columnsOf = (field: Field): readonly string[] => {
    const wanted = map[field];
    if (wanted !== undefined) return wanted.flatMap((column) => find(names, column) ?? []);
    return free
      .filter((name) => (meant.get(plainName(name)) ?? field) === field)
      .map((name) => ({ name, rank: rank(field, name, first[field]) }))
      .filter((one) => one.rank >= 0)
      .sort((one, other) => one.rank - other.rank)
      .map(({ name }) => name);
  };
  const subject = columnsOf('subject');
  const body = columnsOf('body');
  const asked = subject.length + body.length > 0 ? [] : free.filter((name) => isSentence(name));
  return {
    of: {
      id: columnsOf('id'),
      subject,
      body: [...body, ...asked.filter((name) => asksForText.test(name))],
      from: columnsOf('from'),
      createdAt: columnsOf('createdAt'),
      priority: columnsOf('priority'),
      tags: columnsOf('tags'),
      updatedAt: columnsOf('updatedAt'),
      deleted: columnsOf('deleted'),
      attachments: columnsOf('attachments'),
    },
    mapped: new Set(fieldNames.filter((field) => map[field] !== undefined)),
    habits,
    unwanted: names.flatMap((column) => {
      const words = habits.unwanted?.[plainName(column)];
      return words === undefined ? [] : [{ column, words }];
    }),
  };
}
