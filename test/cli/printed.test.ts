import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ask } from '../../src/cli/ask/asking.ts';
import { batchResults } from '../../src/cli/ask/batch-results.ts';
import { listJobs } from '../../src/cli/ask/list-jobs.ts';
import { processTerminal } from '../../src/cli/terminal.ts';
import type { Result } from '../../src/client.ts';
import { createCsvColumns, resultLine } from '../../src/tickets/results.ts';
import { keptTerminal } from '../support/command-line.ts';

/** Everything that a terminal obeys, or that shows a person another text than the one that is there. */
const evil = '\u001b[2J\u001b]0;t\u0007a\rb\u009b31m\u009dx\u007f\u202e\u2066\u200fc\nd\te';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const result = {
  ...{
    id: evil,
    line: 2,
    jobId: 'job_1',
    status: 'succeeded' as const,
    stop: null,
    steps: 1,
    needsReview: false,
  },
  ...{ output: { [evil]: [evil, { [evil]: evil }] }, text: evil, duplicateOf: null, error: evil },
  usage: { inputTokens: 1, outputTokens: 1, cacheWriteTokens: 0, cacheReadTokens: 0 },
  cost: { spentUsd: 0, reservedUsd: 0, unsettledUsd: 0, ceilingUsd: 0, savedByCacheUsd: 0 },
  metadata: { [evil]: evil },
} satisfies Result;

async function printed(body: string, format?: 'csv' | 'jsonl'): Promise<string> {
  const { terminal, said } = keptTerminal();
  const send = async () => new Response(body);
  const options = { endpoint: 'http://localhost', json: true };
  await ask(
    options,
    terminal,
    (asking) =>
      format === undefined
        ? listJobs(asking, { limit: 50, all: false })
        : batchResults(asking, 'batch_1', { format, follow: false }),
    { parts: { send } },
  );
  return said().out;
}

describe('what a ticket or a model wrote', () => {
  it('reaches a terminal as CSV without what it obeys, in cells and in the header', async () => {
    const text = await printed(`${JSON.stringify(result)}\n`, 'csv');
    expect(text).not.toMatch(obeyed);
    const [header = [], cells = []] = parse(text.replace('\ufeff', '')) as string[][];
    const clean = '[2J]0;ta\nb31mx[U+202E][U+2066][U+200F]c\nd\te';
    expect(cells[0]).toBe(clean);
    expect(header.at(-1)).toBe(`input.${clean}`);
  });

  it('reaches a terminal as JSON lines and lists of the same values, with escapes for what it obeys', async () => {
    const lines = await printed(`${JSON.stringify(result)}\n`, 'jsonl');
    expect(lines).not.toMatch(obeyed);
    expect(JSON.parse(lines)).toEqual(result);
    const list = await printed(JSON.stringify({ items: [{ id: 'job_1', input: evil }], cursor: null }));
    expect(list).not.toMatch(obeyed);
    expect(JSON.parse(list)).toEqual({ items: [{ id: 'job_1', input: evil }], cursor: null });
  });

  it('stands in the result files so that they can be printed', () => {
    const { metadata: _, ...row } = result;
    expect(resultLine(row)).not.toMatch(obeyed);
    expect(JSON.parse(resultLine(row))).toEqual(row);
    const columns = createCsvColumns();
    const csv = { row, subject: evil, fields: { [evil]: `${evil}=1`, x: '\u001b=1+1' } };
    columns.add(csv);
    expect(columns.header() + columns.lines([csv])).not.toMatch(obeyed);
    // What hid the start of a formula is gone, and the formula is neutralised all the same.
    expect(columns.lines([csv])).toMatch(/,'=1\+1\n$/);
  });
});

describe('a terminal', () => {
  const streams = [process.stdout, process.stderr];
  const before = streams.map((stream) => Object.getOwnPropertyDescriptor(stream, 'isTTY'));
  beforeEach(() => {
    for (const stream of streams) Object.defineProperty(stream, 'isTTY', { value: true, configurable: true });
    vi.stubEnv('NO_COLOR', '');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    for (const [at, stream] of streams.entries()) {
      Reflect.deleteProperty(stream, 'isTTY');
      const own = before[at];
      if (own !== undefined) Object.defineProperty(stream, 'isTTY', own);
    }
  });

  it.each([
    ['xterm', true],
    ['dumb', false],
  ])('called %s is given colours and is redrawn: %s', (name, expected) => {
    vi.stubEnv('TERM', name);
    expect(processTerminal()).toMatchObject({ color: expected, live: expected });
  });
});
