import { expect, it } from 'vitest';
import { createFieldVolumes } from '../../src/report/fields.ts';

function volumesOf(values: readonly unknown[]): readonly (readonly [string, number])[] | undefined {
  const volumes = createFieldVolumes();
  for (const value of values) volumes.add({ field: value });
  return volumes.volumes()[0]?.bars.map(({ label, count }) => [label, count] as const);
}

const different = (many: number, times = 1): readonly string[] =>
  Array.from({ length: many * times }, (_, at) => `value ${at % many}`);

it('counts the values of a field, most frequent first', () => {
  expect(volumesOf(['b', 'a', 'b', null, undefined])).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
});

it('keeps numbered levels in their own order', () => {
  expect(volumesOf(['P2', 'P10', 'P2', 'P1'])?.map(([label]) => label)).toEqual(['P1', 'P2', 'P10']);
});

it.each([
  ['one value that repeats', ['a', 'a'], true],
  ['values that are all different', ['a', 'b', 'c'], false],
  ['twelve values of which one repeats', [...different(12), 'value 0'], true],
  ['thirteen values of which one repeats', [...different(13), 'value 0'], false],
  ['thirteen values, each twice', different(13, 2), true],
  ['thirty values, each twice', different(30, 2), true],
  ['thirty-one values, each twice', different(31, 2), false],
  ['a text of 40 characters', ['x'.repeat(40), 'x'.repeat(40)], true],
  ['a text of 41 characters', ['x'.repeat(41), 'x'.repeat(41)], false],
  ['a number among them', ['a', 'a', 1], false],
  ['booleans', [true, true, false], false],
  ['lists', [['a'], ['a']], false],
  ['an empty text', ['a', 'a', ''], false],
] as const)('has a chart or none for %s', (_, values, charted) => {
  expect(volumesOf(values) !== undefined).toBe(charted);
});

it('shows twelve bars at most: the last is for all others', () => {
  const bars = volumesOf(different(20, 3)) ?? [];
  expect(bars).toHaveLength(12);
  expect(bars.at(-1)).toEqual(['9 others', 27]);
});

it('counts no more than a hundred fields, and has eight charts at most', () => {
  const volumes = createFieldVolumes();
  const names = Array.from({ length: 150 }, (_, at) => [`field${at}`, 'a']);
  for (const _ of [1, 2]) volumes.add(Object.fromEntries(names));
  expect(volumes.volumes().map(({ name }) => name)).toEqual(
    Array.from({ length: 8 }, (_, at) => `field${at}`),
  );
});

it('looks at nothing that is no object', () => {
  const volumes = createFieldVolumes();
  for (const output of [null, 'text', ['a', 'a'], 7]) volumes.add(output);
  expect(volumes.volumes()).toEqual([]);
});
