import * as z from 'zod';
import { lift } from './head-format.ts';
import type { PageEntry, Sums } from './tenant.ts';

/** One item of a tenant's totals. */
export interface Total extends Sums {
  /** The last page that was added to it: a page is added once. */
  readonly page: number;
}

/** What a total is of: an agent's jobs that ended on one day, or the jobs of a batch. */
export type TotalKey =
  | { readonly type: 'day'; readonly day: string; readonly agent: string }
  | { readonly type: 'batch'; readonly batchId: string };

const DAY_MS = 86_400_000;

/** `2026-11-30`, of days since 1970. */
export function dayName(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

const noSums: Sums = { jobs: 0, steps: 0, settled: 0, unsettled: 0 };

export function addSums(a: Sums, b: Sums): Sums {
  return {
    jobs: a.jobs + b.jobs,
    steps: a.steps + b.steps,
    settled: a.settled + b.settled,
    unsettled: a.unsettled + b.unsettled,
  };
}

/** What a page adds to each total that it touches: a pure function of the page, whoever adds it. */
export function sumsOfPage(
  entries: readonly PageEntry[],
): readonly { readonly key: TotalKey; readonly sums: Sums }[] {
  const found = new Map<string, { readonly key: TotalKey; readonly sums: Sums }>();
  const add = (key: TotalKey, sums: Sums): void => {
    const name = JSON.stringify(key);
    found.set(name, { key, sums: addSums(found.get(name)?.sums ?? noSums, sums) });
  };
  for (const { day, agent, batchId, added } of entries) {
    add({ type: 'day', day: dayName(day), agent }, added);
    if (batchId !== '') add({ type: 'batch', batchId }, added);
  }
  return [...found.values()];
}

export function withPage(total: Total | undefined, page: number, sums: Sums): Total {
  return { ...addSums(total ?? noSums, sums), page };
}

const whole = z.number().int();
const totalV1 = z.object({
  v: z.literal(1),
  page: whole.positive(),
  jobs: whole,
  steps: whole,
  settled: whole,
  unsettled: whole,
});

/** Each lift raises a total by one version. Never edit a published lift; add the next one. */
const lifts: Readonly<Record<number, (record: unknown) => unknown>> = {};

export function toTotalRecord(total: Total): z.input<typeof totalV1> {
  const { page, jobs, steps, settled, unsettled } = total;
  return { v: 1, page, jobs, steps, settled, unsettled };
}

export function fromTotalRecord(stored: unknown, what: string): Total {
  const { page, jobs, steps, settled, unsettled } = totalV1.parse(lift(stored, what, 1, lifts));
  return { page, jobs, steps, settled, unsettled };
}
