import { expect, it } from 'vitest';
import { createKeyTable, keyOf } from '../../src/tickets/key-table.ts';
import { createSeenFilter } from '../../src/tickets/seen-filter.ts';

const keys = Array.from({ length: 20_000 }, (_, at) => keyOf(`key ${at}`));

it('gives back what was set, however large the table grows', () => {
  const table = createKeyTable(2);
  for (const [at, key] of keys.entries()) table.set(key, [at, at * 2]);
  expect(table.size()).toBe(keys.length);
  expect(keys.every((key, at) => table.get(key)?.join() === `${at},${at * 2}`)).toBe(true);
  expect(table.get(keyOf('another'))).toBeUndefined();
});

it('replaces what was set before', () => {
  const table = createKeyTable(1);
  const zero = { high: 0, low: 0 };
  table.set(zero, [7]);
  table.set(zero, [8]);
  expect([table.size(), table.get(zero)]).toEqual([1, [8]]);
});

it('never forgets a key that was shown, and takes few for known that were not', () => {
  const filter = createSeenFilter(20_000 * 100);
  expect(keys.filter((key) => filter.add(key)).length).toBeLessThan(100);
  expect(keys.every((key) => filter.add(key))).toBe(true);
});
