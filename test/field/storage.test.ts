import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createDynamoTable } from '../../src/adapters/dynamodb.ts';
import { defineTool } from '../../src/core/agent.ts';
import { RetryableError, TerminalError } from '../../src/core/errors.ts';
import { ensureTable, localAwsClients, type StandIns, startStandIns } from '../../src/local/stand-ins.ts';
import type { Table } from '../../src/ports.ts';
import { runUntilIdle } from '../support/drive.ts';
import { deliverOne, drive, openCase, resultsOf, runCase } from './run-case.ts';
import { scriptOf } from './scripts.ts';
import { itemSizes } from './sizes.ts';

let standIns: StandIns;
let dynamo: Table;
beforeAll(async () => {
  standIns = await startStandIns();
  const { dynamodb } = localAwsClients(standIns);
  await ensureTable(dynamodb, 'field');
  dynamo = createDynamoTable({ client: dynamodb, tableName: 'field' });
});
afterAll(() => standIns.close());

type Wrap = (table: Table) => Table;
const tables: readonly (readonly [string, Wrap])[] = [
  ['in memory', (table) => table],
  ['on DynamoDB', () => dynamo],
];

let keys = 0;
/** An idempotency key of its own for each case, because the jobs of all cases share the table. */
function ownKey(): string {
  keys += 1;
  return `case ${keys}`;
}

/** The number that a result of the long searches begins with. */
const firstWord = (content: unknown): string => String(content).split(' ')[0] ?? '';

describe.each(tables)('what a job stores %s', (_, wrap) => {
  it('H-D1: may be longer than an item, and is read back whole and in order', async () => {
    const sizes = itemSizes();
    const run = await runCase({
      script: 'twenty_steps',
      agent: {
        maxResultBytes: 40_000,
        search: ({ query }) => `${query} ${'k'.repeat(30_000)}`,
        limits: { maxCostUsd: 20 },
      },
      submission: { key: ownKey() },
      wrap: (table) => sizes.wrap(wrap(table)),
    });
    expect(run.job).toMatchObject({ status: 'succeeded', steps: 21 });
    expect(sizes.largest()).toBeLessThan(300_000);
    const messages = await run.messages();
    expect(messages).toHaveLength(42);
    const results = messages
      .flatMap((message) => message.content)
      .filter((block) => block.type === 'tool_result');
    expect(results.map((block) => firstWord(block['content']))).toEqual(
      Array.from({ length: 20 }, (_, n) => `q${n}`),
    );
    expect(run.world.lines.filter((line) => line.level === 'error')).toEqual([]);
  });
});

it('H-D2: reads a transcript of more than one page whole, after a restart and for people', async () => {
  const open = await openCase({
    script: scriptOf(
      ...Array.from({ length: 60 }, (_, n) => [['search_kb', { query: `q${n + 1}` }] as const]),
    ),
    agent: {
      maxResultBytes: 40_000,
      search: ({ query }) => `${query} ${'k'.repeat(30_000)}`,
      limits: { maxCostUsd: 1_000, maxSteps: 100 },
    },
    submission: { key: ownKey() },
    wrap: () => dynamo,
  });
  for (let step = 0; step < 50; step += 1) await deliverOne(open);
  await deliverOne(open, open.world.restarted());
  expect(firstWord(resultsOf(open.requests()[50])[0]?.['content'])).toBe('q50');
  expect(open.requests()[50]?.messages).toHaveLength(101);
  const job = await drive(open);
  expect(job).toMatchObject({ status: 'succeeded', steps: 61 });
  const messages = await open.messages();
  expect(messages).toHaveLength(122);
  const results = messages
    .flatMap((message) => message.content)
    .filter((block) => block.type === 'tool_result');
  expect(results.map((block) => firstWord(block['content']))).toEqual(
    Array.from({ length: 60 }, (_, n) => `q${n + 1}`),
  );
});

/** A `once` tool whose results are far longer than an item. */
const exporting = (maxResultBytes: number) =>
  defineTool({
    ...{ name: 'export_all', description: 'Answers with much', input: z.object({}) },
    ...{ policy: 'once', maxResultBytes },
    run: () => '\u0e01'.repeat(400_000),
  });

it('H-D1: never loses the result of a once call for its length', async () => {
  const sizes = itemSizes();
  expect(() => exporting(300_001)).toThrow('tool export_all: maxResultBytes must be at most 300000');
  const run = await runCase({
    script: scriptOf([['export_all', {}]]),
    agent: { tools: [exporting(300_000)], limits: { maxCostUsd: 20 } },
    wrap: sizes.wrap,
  });
  expect(run.job).toMatchObject({ status: 'succeeded', steps: 2 });
  const [result] = resultsOf(run.requests()[1]);
  expect(String(result?.['content'])).toMatch(/^\u0e01+\n\[cut: \d+ of 1200000 bytes left out\]$/);
});

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

describe.each(tables)('metadata that is stored %s', (_, wrap) => {
  it.each([
    ['undefined', { a: undefined }, {}],
    ['a date', { d: new Date(0) }, { d: '1970-01-01T00:00:00.000Z' }],
    ['an unsafe whole number', { n: Number('9007199254740993') }, { n: 2 ** 53 }],
    ['NaN', { n: Number.NaN }, { n: null }],
    [
      'empty values',
      { text: '', list: [], object: {}, '': 'no name' },
      { text: '', list: [], object: {}, '': 'no name' },
    ],
    ['more than an item holds', { note: 'x'.repeat(500_000) }, ''],
    ['a BigInt', { n: 9007199254740993n }, 'n'],
    ['a cycle', { c: cyclic }, 'c'],
  ] as const)('H-D3: takes %s, or refuses it by its name', async (__, metadata, expected) => {
    const submission = { key: ownKey(), metadata: metadata as never };
    const opening = openCase({ script: scriptOf([['search_kb', { query: '' }]]), submission, wrap });
    const refused = await opening.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refused !== undefined) {
      expect(refused).toBeInstanceOf(TerminalError);
      expect(String(refused)).toMatch(`metadata${expected === '' ? '' : `.${String(expected)}`}: `);
      return;
    }
    const job = await drive(await opening);
    expect(job).toMatchObject({ status: 'succeeded', steps: 2 });
    expect(job.metadata).toEqual(expected);
  });

  it('H-D3: may be left out, with an empty input and everything else that is optional', async () => {
    const run = await runCase({ script: scriptOf(), submission: { key: ownKey(), input: '' }, wrap });
    expect(run.job).toMatchObject({ status: 'succeeded', metadata: {} });
  });
});

/** Applies every write; of head commit `at`, counted from 1, the answer is lost, or is that of the SDK's second try. */
function losing(
  at: number,
  loss: 'lost' | 'repeated',
): { readonly wrap: Wrap; readonly commits: () => number } {
  let commits = 0;
  return {
    commits: () => commits,
    wrap: (table) => ({
      ...table,
      put: async (item, condition) => {
        const put = await table.put(item, condition);
        if (item.sk !== 'JOB' || condition?.type !== 'equals') return put;
        commits += 1;
        if (commits !== at) return put;
        expect(put).toBe('put');
        if (loss === 'repeated') return table.put(item, condition);
        throw new RetryableError('timeout', 'the answer was lost');
      },
    }),
  };
}

describe.each(tables)('a head commit that was applied without an answer %s', (_, wrap) => {
  it.each([1, 2, 3, 4].flatMap((at) => [[at, 'lost'] as const, [at, 'repeated'] as const]))(
    'H-D4: is known as its own: commit %i, whose answer was %s',
    async (at, loss) => {
      const fault = losing(at, loss);
      const open = await openCase({
        script: scriptOf([['search_kb', { query: 'a' }]]),
        submission: { key: ownKey() },
        wrap: (table) => fault.wrap(wrap(table)),
      });
      expect(await runUntilIdle(open.world)).toBe(2);
      const job = await drive(open);
      expect(job).toMatchObject({ status: 'succeeded', steps: 2, cost: { unsettledUsd: 0, reservedUsd: 0 } });
      expect(fault.commits()).toBeGreaterThanOrEqual(at);
      expect(open.strict.calls()).toHaveLength(2);
      expect(open.effects.runs).toEqual(new Map([['search_kb', 1]]));
    },
  );
});
