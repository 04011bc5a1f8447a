import type { ResultUsage } from '../core/row-result.ts';
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

export interface SummaryInput {
  readonly tally: Tally;
  readonly rows: readonly ResultRow[];
  readonly budgetUsd: number;
  readonly modelCalls: number;
  readonly scripted: boolean;
  readonly out: string;
}

const micro = (dollars: number): number => Math.round(dollars * 1_000_000);

/** Sums are made in whole micro-dollars, so that they are exact. */
function total(rows: readonly ResultRow[], pick: (row: ResultRow) => number): number {
  return rows.reduce((sum, row) => sum + micro(pick(row)), 0) / 1_000_000;
}

function tokens(rows: readonly ResultRow[], pick: (usage: ResultUsage) => number): number {
  return rows.reduce((sum, row) => sum + pick(row.usage), 0);
}

/** Sums up a run. */
export function summarise(input: SummaryInput): Summary {
  const { rows } = input;
  const count = (status: string): number => rows.filter((row) => row.status === status).length;
  const stopReasons: Record<string, number> = {};
  for (const { stop } of rows) {
    if (stop !== null && stop.reason !== 'completed')
      stopReasons[stop.reason] = (stopReasons[stop.reason] ?? 0) + 1;
  }
  return {
    ...input.tally,
    jobs: {
      succeeded: count('succeeded'),
      stopped: count('stopped'),
      failed: count('failed'),
      cancelled: count('cancelled'),
      awaitingApproval: count('awaiting_approval'),
      notStarted: count('not_started'),
    },
    stopReasons,
    usage: {
      inputTokens: tokens(rows, (usage) => usage.inputTokens),
      outputTokens: tokens(rows, (usage) => usage.outputTokens),
      cacheWriteTokens: tokens(rows, (usage) => usage.cacheWriteTokens),
      cacheReadTokens: tokens(rows, (usage) => usage.cacheReadTokens),
    },
    cost: {
      spentUsd: total(rows, (row) => row.cost.spentUsd),
      unsettledUsd: total(rows, (row) => row.cost.unsettledUsd),
      savedByCacheUsd: total(rows, (row) => row.cost.savedByCacheUsd),
      budgetUsd: input.budgetUsd,
    },
    modelCalls: input.modelCalls,
    scripted: input.scripted,
    out: input.out,
  };
}

/** Dollars for people: four decimals, six where that would hide them. */
export function usd(dollars: number): string {
  return `$${dollars.toFixed(dollars !== 0 && Math.abs(dollars) < 0.01 ? 6 : 4)}`;
}
