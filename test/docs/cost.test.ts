import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ConsumedCapacity, PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { peers } from '../../scripts/cost/bill.ts';
import { createMeter, meteredTable } from '../../scripts/cost/meter.ts';
import { costNow, withText } from '../../scripts/cost/page.ts';
import prices from '../../scripts/cost/prices.json' with { type: 'json' };
import { indexWrites, itemBytes, readUnits, writeUnits } from '../../scripts/cost/sizes.ts';
import { createDynamoTable } from '../../src/adapters/dynamodb.ts';
import { ensureTable, localAwsClients, startStandIns } from '../../src/local/stand-ins.ts';
import type { Table } from '../../src/ports.ts';

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

describe('the meter', () => {
  let asked: { readonly command: unknown; readonly units: number }[];
  let table: Table;
  const meter = createMeter();
  beforeAll(async () => {
    const standIns = await startStandIns();
    afterAll(standIns.close);
    const { dynamodb } = localAwsClients(standIns);
    await ensureTable(dynamodb, 'metered');
    dynamodb.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          (args.input as PutItemCommandInput).ReturnConsumedCapacity = 'TOTAL';
          const result = await next(args);
          const { ConsumedCapacity: used } = result.output as { ConsumedCapacity?: unknown };
          for (const { CapacityUnits = 0 } of [used ?? []].flat() as ConsumedCapacity[])
            asked.push({ command: commandName, units: CapacityUnits });
          return result;
        },
      { step: 'initialize', name: 'units' },
    );
    table = createDynamoTable({ client: dynamodb, tableName: 'metered' });
  });

  const key = { pk: 'JOB#1', sk: 'JOB' };
  // Of letters that are one byte each: the stand-in counts characters.
  const item = { ...key, v: 2, le: [250_000, 0, 1_200, 0], text: 'x'.repeat(1_400) };
  const much = { pk: 'JOB#1', sk: 'MSG#000001', map: { a: null, b: [true, -1.5] }, text: 'x'.repeat(5_000) };
  it.each<[string, (on: Table) => Promise<unknown>]>([
    ['a new item', (on) => on.put(item, { type: 'absent' })],
    ['a smaller item over a larger one', (on) => on.put({ ...item, text: '' })],
    ['an update that makes it larger', (on) => on.update(key, { text: 'x'.repeat(2_500) })],
    ['several items', (on) => on.putMany([much, { ...much, sk: 'MSG#000002' }])],
    ['a consistent read', (on) => on.get({ pk: 'JOB#1', sk: 'MSG#000001' })],
    ['a read that finds nothing', (on) => on.get({ pk: 'JOB#2', sk: 'JOB' })],
    ['a query', (on) => on.query('JOB#1', 'MSG#', 'MSG#~', true)],
    ['deletes', (on) => on.removeMany([key, { pk: 'JOB#1', sk: 'MSG#000002' }])],
  ])('counts %s as the stand-in does', async (what, work) => {
    meter.turnTo(what);
    asked = [];
    await work(meteredTable(table, meter));
    const { readUnits: reads, writeUnits: writes } = meter.of(what);
    // What the meter looks at before a write is none of the work.
    const billed = asked.filter(({ command }) => writes === 0 || command !== 'GetItemCommand');
    expect(reads + writes).toBe(billed.reduce((all, { units }) => all + units, 0));
  });
});
