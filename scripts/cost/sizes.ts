import { type IndexName, tableShape } from '../../src/core/table.ts';
import type { Item } from '../../src/ports.ts';

/** What an item weighs, in bytes, by DynamoDB's rule: names and strings as UTF-8, numbers by their digits, lists and maps with overhead. */
export function itemBytes(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => (value === undefined ? sum : sum + Buffer.byteLength(name) + valueBytes(value)),
    0,
  );
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberBytes(value);
  if (typeof value !== 'object' || value === null) return 1;
  // Three bytes for the list or map, one for each of its elements.
  if (Array.isArray(value)) return 3 + value.reduce((sum: number, entry) => sum + 1 + valueBytes(entry), 0);
  return 3 + Object.keys(value).length + itemBytes(value as Item);
}

/** A byte for two significant digits, and one more; zeros at either end do not count. */
function numberBytes(value: number): number {
  const digits = String(Math.abs(value)).replace(/^0\.?0*|\.|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (value < 0 ? 1 : 0);
}

const units = (bytes: number, size: number): number => Math.max(1, Math.ceil(bytes / size));

/** Of a consistent read; a read that finds nothing costs one as well. */
export const readUnits = (bytes: number): number => units(bytes, 4_096);

/** A write is billed by the larger of the item before and after it; a refused one by what is there. */
export function writeUnits(before: Item | undefined, after: Item | undefined): number {
  const bytes = [before, after].map((item) => (item === undefined ? 0 : itemBytes(item)));
  return units(Math.max(...bytes), 1_024);
}

const indexes = Object.keys(tableShape.indexes) as readonly IndexName[];

/** An item's entry in an index that projects keys only: undefined where the item lacks one of the index's keys. */
export function indexEntry(index: IndexName, item: Item | undefined): Item | undefined {
  const { partition, sort } = tableShape.indexes[index];
  if (item?.[partition.name] === undefined || item[sort.name] === undefined) return undefined;
  const { pk, sk } = item;
  return { pk, sk, [partition.name]: item[partition.name], [sort.name]: item[sort.name] };
}

/** Writes to the indexes that one write of an item brings about: a moved entry is a delete and a put. */
export function indexWrites(before: Item | undefined, after: Item | undefined): number {
  let writes = 0;
  for (const index of indexes) {
    const was = indexEntry(index, before);
    const is = indexEntry(index, after);
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    writes += (was === undefined ? 0 : 1) + (is === undefined ? 0 : 1);
  }
  return writes;
}
