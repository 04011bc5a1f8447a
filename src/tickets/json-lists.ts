import { type Data, isData, wordOf } from './data.ts';
import { isThreadName } from './thread.ts';

/** Objects that may stand around the list of a page: GraphQL has `data.repository.issues.nodes`. */
export const MAX_WRAPPERS = 4;

/** Whatever else is in the object, these are its rows. */
const ticketList = /^(tickets|issues|cases)$/i;
/** Rows where the object around them is no ticket itself, which may have items, and conversations as its answers. */
const pageList = /^(conversations|requests|results?|items|data|rows|records|values?|entries)$/i;
/** What GraphQL calls the list itself; the name of what is listed stands one level above. */
const nodeList = /^(nodes|edges)$/i;

/** A list by its name and by the name of the object around it. */
interface Named {
  readonly name: string;
  readonly parent: string | undefined;
}

export type ListKind = 'tickets' | 'page' | 'other';

/** What a list of objects holds, as far as its name tells. */
export function listKind({ name, parent = '' }: Named): ListKind {
  if (ticketList.test(name)) return 'tickets';
  const isNodes = nodeList.test(name) && /^(tickets|issues|cases|conversations|search)$/i.test(parent);
  return isNodes || (pageList.test(name) && !isThreadName(parent)) ? 'page' : 'other';
}

/** Whether a plain value under this name shows that the object is a ticket, not a page that holds some. */
export const tellsTicket = (name: string, depth: number): boolean =>
  /^(subject|body)$/i.test(name) ||
  (depth === 1 && /^((ticket|case|issue|conversation)[_-]?)?(id|key|number)$/i.test(name));

/** What an API says of a page beside its list. In a file of rows an object with any other value is a row. */
const aboutPage = new RegExp(
  `^(${[
    ...[
      'type',
      'object',
      'url',
      'self',
      'next',
      'prev',
      'previous',
      'first',
      'last',
      'count',
      'limit',
      'offset',
    ],
    ...[
      'size',
      'expand',
      'ok',
      'success',
      'code',
      'total.*',
      'start.*',
      'end.*',
      'max.*',
      'has.?more',
      'is.?last',
    ],
    ...['.*page.*', '.*cursor.*', '.*_url', '.*link.*', '@odata.*'],
  ].join('|')})$`,
  'i',
);

function isPage(data: Data, depth: number): boolean {
  const plain = Object.entries(data).filter(([, value]) => wordOf(value) !== undefined);
  return plain.every(([name]) => !tellsTicket(name, depth) && (depth > 1 || aboutPage.test(name)));
}

/** The rows of an object that is a page of an API; undefined for one that is a row itself. */
export function pageRows(data: Data, parent?: string, depth = 1): readonly Data[] | undefined {
  if (depth > MAX_WRAPPERS || !isPage(data, depth)) return undefined;
  const members = Object.entries(data);
  for (const [name, value] of members) {
    const kind = listKind({ name, parent });
    if (!Array.isArray(value) || kind === 'other' || !value.every(isData)) continue;
    if (value.length > 0 || kind === 'tickets') return value;
  }
  for (const [name, value] of members) {
    const rows = isData(value) && !isThreadName(name) ? pageRows(value, name, depth + 1) : undefined;
    if (rows !== undefined) return rows;
  }
  return undefined;
}
