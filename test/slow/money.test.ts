import { describe, expect, it } from 'vitest';
import { triage } from '../../src/agents/triage.ts';
import { createBatch, type NewRow } from '../../src/app/batches.ts';
import { stopOf, usd } from '../../src/core/job.ts';
import { available, charged } from '../../src/core/ledger.ts';
import { exampleRows, restingBatch, strictModel } from '../support/example-run.ts';
import { memoryWorld } from '../support/world.ts';

const rows: readonly NewRow[] = await exampleRows('examples/tickets.csv');

interface Outcome {
  readonly billed: number;
  readonly spent: number;
  readonly left: number;
  /** What jobs that wait for a person hold of the pool beyond what they spent. */
  readonly held: number;
  readonly admitted: number;
  readonly stops: readonly { readonly reason: string; readonly detail: string }[];
}

async function run(budgetUsd: number, maxCostUsd: number): Promise<Outcome> {
  const { model, client } = strictModel();
  const world = memoryWorld({ agents: [triage], model: client });
  const { id } = await createBatch(world, {
    ...{ tenant: 'default', agent: 'triage', key: 'money', rows, concurrency: 10 },
    budget: Math.round(budgetUsd * 1e6),
    ceilingMicroUsd: Math.round(maxCostUsd * 1e6),
  });
  const { state, jobs } = await restingBatch(world, id);
  for (const job of jobs) {
    const { ceiling, settled, reserved, unsettled } = job.ledger;
    expect(settled + reserved + unsettled).toBeLessThanOrEqual(ceiling);
  }
  const spent = jobs.reduce((sum, job) => sum + charged(job.ledger), 0);
  expect(state.spentMicroUsd).toBe(spent);
  return {
    billed: model.billedMicroUsd(),
    spent,
    left: state.batch.budget - spent,
    held: state.waiting.reduce((sum, job) => sum + available(job.ledger), 0),
    admitted: state.batch.cursor,
    stops: jobs.flatMap((job) => stopOf(job) ?? []).filter((stop) => stop.reason !== 'completed'),
  };
}

const dollars = /up to \$([\d.]+), \$([\d.]+) is left/;
const values = (from: number, to: number): readonly number[] =>
  Array.from({ length: 20 }, (_, n) => Number((from * (to / from) ** (n / 19)).toFixed(6)));

describe('twenty ceilings of a job, from under one call to over the whole work', () => {
  it('never let the server bill more, and never spend less as they rise', { timeout: 120_000 }, async () => {
    let before = -1;
    for (const ceiling of values(0.0001, 0.05)) {
      const outcome = await run(100, ceiling);
      expect(outcome.billed).toBeLessThanOrEqual(outcome.spent);
      expect(outcome.spent).toBeLessThanOrEqual(ceiling * 1e6 * rows.length);
      expect(outcome.spent).toBeGreaterThanOrEqual(before);
      before = outcome.spent;
      for (const { reason, detail } of outcome.stops) {
        if (reason !== 'cost_ceiling' || !dollars.test(detail)) continue;
        const [, needed, left] = dollars.exec(detail) ?? [];
        expect(Number(left)).toBeLessThan(Number(needed));
      }
    }
    expect(before).toBeGreaterThan(0);
  });
});

describe('twenty pools of a run, from under one call to over the whole file', () => {
  it('never let the server bill more, and leave less than one job’s ceiling while work is left', {
    timeout: 120_000,
  }, async () => {
    let before = 0;
    const ceilingMicroUsd = 4_000;
    for (const budget of values(0.0004, 0.3)) {
      const outcome = await run(budget, usd(ceilingMicroUsd));
      expect(outcome.billed).toBeLessThanOrEqual(outcome.spent);
      expect(outcome.spent).toBeLessThanOrEqual(Math.round(budget * 1e6));
      // By less than one call: which row gets the rest of the pool depends on its size.
      expect(outcome.spent).toBeGreaterThan(before - 1_000);
      before = outcome.spent;
      if (outcome.admitted < rows.length) {
        expect(outcome.left).toBeLessThan(ceilingMicroUsd + outcome.held);
      }
    }
  });
});
