import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { peers } from '../../scripts/cost/bill.ts';
import { costNow, withText } from '../../scripts/cost/page.ts';
import prices from '../../scripts/cost/prices.json' with { type: 'json' };
import { indexWrites, itemBytes, readUnits, writeUnits } from '../../scripts/cost/sizes.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/cost.md', import.meta.url)), 'utf8');

describe('the page on cost', () => {
  let now: Awaited<ReturnType<typeof costNow>>;
  beforeAll(async () => {
    now = await costNow();
  });

  it('shows what the code costs now: npm run cost writes it', () => {
    expect(withText(page, now.text)).toBe(page);
  });

  it('shows at most $11 for a million steps, and about $35 for durable functions', () => {
    expect(now.usd).toBeLessThanOrEqual(11);
    const durable = peers().find(({ name }) => /durable/.test(name))?.usd ?? 0;
    expect(Math.abs(durable - 35)).toBeLessThan(1);
  });

  it('dates every price and says where it is from', () => {
    for (const { usd, source, read } of Object.values(prices.prices)) {
      expect(usd).toBeGreaterThan(0);
      expect(source).toMatch(/pricing/);
      expect(read).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
  });
});

describe("DynamoDB's rules", () => {
  it.each([
    [{ name: 'é' }, 4 + 2],
    [{ n: 0 }, 1 + 1],
    [{ n: 27 }, 1 + 2],
    [{ n: 1_812_345_678_901 }, 1 + 8],
    // Zeros at the ends are no significant digits.
    [{ n: 1_800_000_000_000 }, 1 + 2],
    [{ n: -5 }, 1 + 3],
    [{ n: 0.001 }, 1 + 2],
    [{ b: true, z: null, u: undefined }, 2 + 2],
    [{ l: [] }, 1 + 3],
    [{ l: ['ab', 1] }, 1 + 3 + (1 + 2) + (1 + 2)],
    [{ m: { k: 'v' } }, 1 + 3 + 1 + 2],
  ])('weigh %j as %i bytes', (item, bytes) => {
    expect(itemBytes(item)).toBe(bytes);
  });

  const of = (bytes: number) => ({ a: 'x'.repeat(bytes - 1) });
  it.each([
    [undefined, of(1_024), 1],
    [undefined, of(1_025), 2],
    [of(2_049), of(10), 3],
    [of(10), undefined, 1],
    [undefined, undefined, 1],
  ])('bill a write by the larger of what was and is there', (before, after, units) => {
    expect(writeUnits(before, after)).toBe(units);
  });

  it.each([
    [0, 1],
    [4_096, 1],
    [4_097, 2],
  ])('bill a read of %i bytes with %i', (bytes, units) => {
    expect(readUnits(bytes)).toBe(units);
  });

  const key = { pk: 'JOB#1', sk: 'JOB' };
  const due = { ...key, ds: 'due#1', du: 5 };
  it.each([
    ['in no index', key, { ...key, tu: 2 }, 0],
    ['new in one index', undefined, due, 1],
    ['new in two', undefined, { ...due, lt: 'J#a', lc: 1 }, 2],
    ['changed beside its keys', due, { ...due, tu: 2 }, 0],
    ['moved in its partition', due, { ...due, du: 6 }, 2],
    ['moved to another partition', due, { ...due, ds: 'due#2' }, 2],
    ['gone from the index', due, key, 1],
    ['without the other key', undefined, { ...key, ds: 'due#1' }, 0],
  ])('bill the index writes of an item %s', (_, before, after, writes) => {
    expect(indexWrites(before, after)).toBe(writes);
  });
});
