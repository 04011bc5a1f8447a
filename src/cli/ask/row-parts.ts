import type { Json } from '../../core/agent.ts';
import { utf8Bytes } from '../../core/safe-json.ts';
import type { GivenRow } from './submit-rows.ts';

/** What one call sends. */
export type Part =
  | { readonly type: 'rows'; readonly rows: Json[] }
  | { readonly type: 'lines'; readonly text: string };

export interface Rejected {
  readonly id: string | null;
  readonly reason: string;
}

/** What one call takes: 5,000 rows and 5 MB, with room for what stands around the rows. */
const MAX_ROWS = 5_000;
const MAX_BYTES = 4_900_000;

/** Rows in parts that a call takes, made while the file is read; rows that nobody can take go to `rejected`. */
export async function* partsOf(given: AsyncIterable<GivenRow>, rejected: Rejected[]): AsyncGenerator<Part> {
  const rows = createFill<Json>((row) => JSON.stringify(row));
  const lines = createFill<string>((line) => line);
  for await (const one of given) {
    if (one.type === 'rejected') {
      const where = one.line === 0 ? '' : `line ${one.line}: `;
      rejected.push({ id: null, reason: `${where}${one.reason}` });
    } else if (one.type === 'row') {
      const full = rows.add(one.row);
      if (full !== undefined) yield { type: 'rows', rows: full };
    } else {
      const full = lines.add(one.line);
      if (full !== undefined) yield { type: 'lines', text: full.join('\n') };
    }
  }
  const [lastRows, lastLines] = [rows.rest(), lines.rest()];
  if (lastRows.length > 0) yield { type: 'rows', rows: lastRows };
  if (lastLines.length > 0) yield { type: 'lines', text: lastLines.join('\n') };
}

/** Lines in bodies that a call takes. */
export async function* bodiesOf(lines: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  const fill = createFill<string>((line) => line);
  for await (const line of lines) {
    const full = fill.add(line);
    if (full !== undefined) yield full;
  }
  const rest = fill.rest();
  if (rest.length > 0) yield rest;
}

/** Gathers as many as one call takes; `add` gives what was gathered before, when one more would be too much. */
function createFill<Item>(textOf: (item: Item) => string) {
  let held: Item[] = [];
  let bytes = 0;
  return {
    add: (item: Item): Item[] | undefined => {
      const size = utf8Bytes(textOf(item)) + 1;
      const full =
        held.length === MAX_ROWS || (held.length > 0 && bytes + size > MAX_BYTES) ? held : undefined;
      if (full !== undefined) {
        held = [];
        bytes = 0;
      }
      held.push(item);
      bytes += size;
      return full;
    },
    rest: (): Item[] => held,
  };
}
