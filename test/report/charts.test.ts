import { beforeAll, expect, it } from 'vitest';
import { type Charts, loadCharts } from '../../src/report/charts.ts';
import { createSpread } from '../../src/report/spread.ts';

let charts: Charts;
beforeAll(async () => {
  charts = await loadCharts();
});

function spreadOf(values: readonly number[]): ReturnType<ReturnType<typeof createSpread>['spread']> {
  const spread = createSpread();
  for (const value of values) spread.add(value);
  return spread.spread();
}

const histogramOf = (values: readonly number[], whole: boolean): readonly string[] =>
  charts.histogram({ title: 'x', spread: spreadOf(values), whole, valueText: String }).said;

it('draws bars as SVG in the colours of the page, and says the same in words', () => {
  const { svg, said } = charts.bars('Category', [
    { label: 'delivery', count: 1234 },
    { label: 'refund', count: 1 },
  ]);
  expect(said).toEqual(['delivery: 1,234', 'refund: 1']);
  expect(svg).toMatch(/^<svg aria-hidden="true"/);
  expect(svg).toContain('fill="var(--accent)"');
  expect(svg).toContain('fill="currentColor"');
  expect(svg).toContain('>1,234</text>');
});

it('escapes and spells out what a value holds, and keeps two that look alike apart', () => {
  const { svg } = charts.bars('x', [
    { label: '</text><script>alert(1)</script>', count: 2 },
    { label: '\u202eevil', count: 1 },
    { label: '\u202eevil', count: 1 },
  ]);
  expect(svg).not.toContain('<script');
  expect(svg).toContain('&lt;/text&gt;');
  expect(svg).not.toContain('\u202e');
  expect(new Set(svg?.match(/<rect[^>]* y="[\d.]+"/g)).size).toBe(3);
});

it('has a column for each whole number where there are few', () => {
  expect(histogramOf([1, 1, 3], true)).toEqual(['1: 2 tickets', '3: 1 ticket']);
  expect(histogramOf([0, 16], true)).toEqual(['0: 1 ticket', '16: 1 ticket']);
});

it('has round steps where numbers lie far apart', () => {
  expect(histogramOf([0, 17], true)).toEqual(['0 to 1: 1 ticket', '16 to 17: 1 ticket']);
  expect(histogramOf([300, 353, 911, 911], false)).toEqual([
    '300 to 350: 1 ticket',
    '350 to 400: 1 ticket',
    '900 to 950: 2 tickets',
  ]);
});

it('says one value in words and draws nothing', () => {
  expect(histogramOf([7], true)).toEqual(['7 for the only ticket']);
  expect(histogramOf([300, 300], false)).toEqual(['300 for each of 2 tickets']);
  expect(charts.histogram({ title: 'x', spread: spreadOf([7]), whole: true, valueText: String }).svg).toBe(
    undefined,
  );
});

it.each(['consecutive failures', 'max output tokens', 'model unavailable', 'awaiting approval'])(
  'has room for the whole stop reason %s',
  (label) => {
    expect(charts.bars('x', [{ label, count: 1 }]).svg).toContain(`>${label}</text>`);
  },
);

it('cuts a label that would leave no room for its bar', () => {
  expect(charts.bars('x', [{ label: 'long '.repeat(20), count: 1 }]).svg).toContain('…');
});

it('keeps a spread small however many different numbers there are', () => {
  const values = Array.from({ length: 100_000 }, (_, at) => at);
  const spread = spreadOf(values);
  expect(spread.length).toBeLessThan(3_000);
  expect(spread.reduce((sum, { rows }) => sum + rows, 0)).toBe(100_000);
});

it.each([
  ['eight tickets', [119, 124, 125, 133, 139, 142, 155, 161]],
  ['two that are far apart', [24, 5_000]],
  ['two that are close', [24, 25]],
  ['cheap ones, whose figures are long', [20, 21, 22, 23, 24]],
  ['many', Array.from({ length: 300 }, (_, at) => 80 + ((at * 37) % 611))],
  ['dear ones', [99_000, 104_500, 250_000]],
])('keeps the labels of an axis apart, and at least one: %s', (_, values) => {
  const valueText = (micro: number): string =>
    `$${(micro / 1e6).toFixed(6).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
  const { svg } = charts.histogram({ title: 'x', spread: spreadOf(values), whole: false, valueText });
  const axis = /aria-label="x-axis tick label"[^>]*>(.*?)<\/g>/s.exec(svg ?? '')?.[1] ?? '';
  const labels = [...axis.matchAll(/translate\(([\d.]+),[^>]*>([^<]*)</g)].map(([, x, text = '']) => ({
    at: Number(x),
    half: (text.length * 6.6) / 2,
  }));
  expect(labels.length).toBeGreaterThan(0);
  for (const [place, { at, half }] of labels.entries()) {
    const before = labels[place - 1];
    expect(at - half).toBeGreaterThanOrEqual(before === undefined ? 0 : before.at + before.half + 4);
    expect(at + half).toBeLessThanOrEqual(340);
  }
});
