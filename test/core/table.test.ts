import { expect, it } from 'vitest';
import { dueShards, shardOf, tableShape } from '../../src/core/table.ts';

it.each([
  ['job_a', 'due#10'],
  ['job_b', 'due#3'],
  ['batch_1', 'due#5'],
  ['', 'due#9'],
])('keeps %s in the shard it is stored in', (id, shard) => {
  expect(shardOf(id)).toBe(shard);
});

it('spreads ids over all sixteen shards about evenly', () => {
  const counts = new Map(dueShards.map((shard) => [shard, 0]));
  for (let n = 0; n < 16_000; n += 1) {
    const shard = shardOf(`job_${n.toString(36)}`);
    counts.set(shard, (counts.get(shard) ?? 0) + 1);
  }
  expect([...counts.keys()]).toEqual(dueShards);
  expect(Math.min(...counts.values())).toBeGreaterThan(800);
  expect(Math.max(...counts.values())).toBeLessThan(1200);
});

it('names every key attribute once', () => {
  const pairs = [tableShape.key, ...Object.values(tableShape.indexes)];
  const attributes = pairs.flatMap(({ partition, sort }) => [partition.name, sort.name]);
  expect(new Set(attributes).size).toBe(attributes.length);
});
