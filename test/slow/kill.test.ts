import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  cleanEnvironment,
  type ModelServer,
  newFolder,
  projectFile,
  type Running,
  start,
  startModel,
} from './processes.ts';

const REPETITIONS = Number(process.env['KILL_REPETITIONS'] ?? 1);
const CONCURRENCY = 10;
const args = (out: string): readonly string[] => [
  ...['triage', projectFile('examples/tickets.csv'), '--agents', projectFile('test/slow/ungated-agents.ts')],
  ...['--out', out, '--json', '--concurrency', String(CONCURRENCY)],
];

interface Summary {
  readonly cost: { readonly spentUsd: number };
  readonly jobs: Readonly<Record<string, number>>;
}

let model: ModelServer;
let calm: { readonly rows: ReturnType<typeof rowsOf>; readonly calls: number };

function run(out: string): Running {
  return start(args(out), cleanEnvironment({ ANTHROPIC_BASE_URL: model.url }));
}

function rowsOf(out: string): readonly unknown[] {
  const lines = readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { id, status, output, steps } = JSON.parse(line) as Record<string, unknown>;
    return { id, status, output, steps };
  });
}

function refundKeys(out: string): readonly string[] {
  const file = join(out, 'state', 'refunds.jsonl');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { key: string }).key);
}

beforeAll(async () => {
  model = await startModel();
  const out = newFolder();
  const { code, stderr } = await run(out).finished;
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  calm = { rows: rowsOf(out), calls: (await model.calls()).calls.length };
});
afterAll(async () => {
  await model.stop();
});

it.each(Array.from({ length: REPETITIONS }, (_, n) => n + 1))(
  'carries on after three kills as if nothing had happened (repetition %i)',
  async () => {
    const before = await model.calls();
    const out = newFolder();
    for (const share of [1 / 6, 1 / 2, 5 / 6]) {
      const victim = run(out);
      const target = before.calls.length + Math.floor(calm.calls * share);
      while ((await model.calls()).calls.length < target && victim.child.exitCode === null) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      victim.child.kill('SIGKILL');
      await victim.finished;
    }
    const last = await run(out).finished;
    expect({ code: last.code, stderr: last.code === 0 ? '' : last.stderr }).toEqual({ code: 0, stderr: '' });
    const after = await model.calls();
    const summary = JSON.parse(last.stdout) as Summary;
    expect(rowsOf(out)).toEqual(calm.rows);
    const made = after.calls.length - before.calls.length;
    const billedMicroUsd = after.billedMicroUsd - before.billedMicroUsd;
    const keys = refundKeys(out);
    process.stderr.write(
      `calls ${made} (calm ${calm.calls}), billed ${billedMicroUsd}, shown ${summary.cost.spentUsd * 1e6}, refunds ${keys.length}\n`,
    );
    expect(made).toBeLessThanOrEqual(calm.calls + 3 * CONCURRENCY);
    expect(after.calls.filter((call) => call.status !== 200)).toEqual([]);
    expect(keys.length).toBeGreaterThan(0);
    expect(new Set(keys).size).toBe(keys.length);
    expect(Math.round(summary.cost.spentUsd * 1e6)).toBeGreaterThanOrEqual(billedMicroUsd);
  },
  120_000,
);
