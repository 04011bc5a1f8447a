import type { RawRecord } from './records.ts';

/** Counts the rows that begin in one line, as all of a list without line breaks do: their line alone would not name them. */
export async function* withItems(
  pages: AsyncIterable<readonly RawRecord[]>,
): AsyncGenerator<readonly RawRecord[]> {
  // Whether a row is the only one of its line, the next one tells.
  let held: RawRecord | undefined;
  let item = 1;
  const take = (record: RawRecord): readonly RawRecord[] => {
    const before = held;
    held = record;
    if (before === undefined) return [];
    const isShared = before.line === record.line;
    const placed = isShared || item > 1 ? { ...before, item } : before;
    item = isShared ? item + 1 : 1;
    return [placed];
  };
  for await (const page of pages) yield page.flatMap(take);
  if (held !== undefined) yield [item > 1 ? { ...held, item } : held];
}
