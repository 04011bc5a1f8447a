import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { triage } from '../../src/cli/triage.ts';

let out: string;
beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'treadle-field-'));
});
afterAll(() => rmSync(out, { recursive: true }));

it('H-C4: runs the whole lines of a broken JSONL file and names the broken ones by number', async () => {
  const printed: string[] = [];
  const terminal = {
    ...{ live: false, color: false, width: 100, ask: undefined, err: () => undefined },
    out: (text: string) => void printed.push(text),
  };
  const options = {
    ...{ files: [fileURLToPath(new URL('inputs/tickets_messy.jsonl', import.meta.url))], out },
    ...{ agent: 'triage', data: undefined, budgetUsd: undefined, maxCostUsd: undefined, maxSteps: undefined },
    ...{ concurrency: 10, fresh: false, approvals: undefined, map: undefined, agents: undefined },
    ...{ modelScript: undefined, json: true, quiet: true },
  };
  const code = await triage(options, terminal, {});
  expect(code).toBe(exitCode.partly);
  expect(JSON.parse(printed.join(''))).toMatchObject({
    ...{ read: 9, accepted: 4, rejected: 3, skipped: 2, duplicates: 0 },
    jobs: { succeeded: 4 },
  });
  expect(lines('results.jsonl').map(({ id, status }) => `${id} ${status}`)).toEqual([
    'j1 succeeded',
    'j2 succeeded',
    '4 succeeded',
    'j5 succeeded',
  ]);
  expect(lines('rejected.jsonl')).toEqual([
    { line: 5, raw: '{"id":"j3","subject":"cut', reason: expect.stringContaining('JSON') },
    { line: 6, raw: '["not", "an", "object"]', reason: expect.stringContaining('object') },
    { line: 7, raw: expect.stringContaining('Day 10'), reason: expect.stringContaining('line 1') },
  ]);
});

function lines(name: string): readonly Readonly<Record<string, unknown>>[] {
  const text = readFileSync(join(out, name), 'utf8').trim();
  return text.split('\n').map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
