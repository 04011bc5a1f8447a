import { microUsd } from '../core/job.ts';
import type { ResultUsage } from '../core/row-result.ts';
import { createPeople, type People } from './need.ts';
import type { ResultRow } from './results.ts';
import type { Tally } from './row.ts';

/** What `triage --json` prints. Money in US dollars. */
export interface Summary extends Tally {
  readonly jobs: {
    readonly succeeded: number;
    readonly stopped: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly awaitingApproval: number;
    readonly notStarted: number;
  };
  /** How many jobs ended by each reason but `completed`. */
  readonly stopReasons: Readonly<Record<string, number>>;
  readonly usage: ResultUsage;
  readonly cost: {
    readonly spentUsd: number;
    readonly unsettledUsd: number;
    readonly savedByCacheUsd: number;
    readonly budgetUsd: number;
  };
  readonly modelCalls: number;
  readonly scripted: boolean;
  readonly out: string;
}

/** What is known of a run beside its rows. */
export interface RunFacts {
  readonly tally: Tally;
  readonly budgetUsd: number;
  readonly modelCalls: number;
  readonly scripted: boolean;
  readonly out: string;
}

/** What the totals for people say beside the summary. */
export interface Beside {
  readonly people: People;
  /** Rows that say the same as another. */
  readonly sameAsAnother: number;
}

/** Sums up a run row by row. */
export interface Summing {
  readonly add: (row: ResultRow) => void;
  readonly summary: (facts: RunFacts) => Summary;
  readonly beside: () => Beside;
}

/** Adds the numbers of one record to those of another. */
function addTo<Name extends string>(sums: Record<Name, number>, more: Readonly<Record<Name, number>>): void {
  for (const name of Object.keys(sums) as Name[]) sums[name] += more[name];
}

export function createSumming(): Summing {
  const statuses = new Map<string, number>();
  const stopReasons: Record<string, number> = {};
  const usage = { inputTokens: 0, outputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0 };
  // Sums are made in whole micro-dollars, so that they are exact.
  const cost = { spentUsd: 0, unsettledUsd: 0, savedByCacheUsd: 0 };
  const people = createPeople();
  let sameAsAnother = 0;
  const count = (status: string): number => statuses.get(status) ?? 0;
  return {
    add: (row) => {
      const { status, stop, usage: used, duplicateOf } = row;
      const { spentUsd, unsettledUsd, savedByCacheUsd } = row.cost;
      people.add(row);
      statuses.set(status, count(status) + 1);
      if (stop !== null && stop.reason !== 'completed')
        stopReasons[stop.reason] = (stopReasons[stop.reason] ?? 0) + 1;
      addTo(usage, used);
      addTo(cost, {
        spentUsd: microUsd(spentUsd),
        unsettledUsd: microUsd(unsettledUsd),
        savedByCacheUsd: microUsd(savedByCacheUsd),
      });
      if (duplicateOf !== null) sameAsAnother += 1;
    },
    summary: ({ tally, budgetUsd, ...facts }) => ({
      ...tally,
      jobs: {
        succeeded: count('succeeded'),
        stopped: count('stopped'),
        failed: count('failed'),
        cancelled: count('cancelled'),
        awaitingApproval: count('awaiting_approval'),
        notStarted: count('not_started'),
      },
      stopReasons: { ...stopReasons },
      usage: { ...usage },
      cost: {
        spentUsd: cost.spentUsd / 1_000_000,
        unsettledUsd: cost.unsettledUsd / 1_000_000,
        savedByCacheUsd: cost.savedByCacheUsd / 1_000_000,
        budgetUsd,
      },
      ...facts,
    }),
    beside: () => ({ people: people.people(), sameAsAnother }),
  };
}

/** Dollars for people: four decimals, six where that would hide them. */
export function usd(dollars: number): string {
  const amount = Math.abs(dollars);
  return `${dollars < 0 ? '-' : ''}$${amount.toFixed(amount !== 0 && amount < 0.01 ? 6 : 4)}`;
}

/** An amount that somebody chose: exact to the micro-dollar, with no fewer digits than cents have. */
export function exactUsd(dollars: number): string {
  return `$${dollars.toFixed(6).replace(/0{1,4}$/, '')}`;
}
