import type { Job } from '../../client.ts';
import { attemptsText } from './attempts.ts';
import type { Step } from './step.ts';

/** What one step did to the money of its job; the last line may stand for what no step shows. */
export interface LedgerLine {
  readonly step: number | undefined;
  readonly name: string;
  /** What was reserved before the request was sent: its worst cost. */
  readonly reservedUsd: number;
  readonly settledUsd: number;
  /** What attempts left whose outcome nobody knows. */
  readonly unsettledUsd: number;
  /** Charged so far, this line included. */
  readonly runningUsd: number;
  /** Its attempts in words, and what each left; empty for the usual. */
  readonly tries: string;
}

export interface Ledger {
  readonly lines: readonly LedgerLine[];
  readonly ceilingUsd: number;
  readonly spentUsd: number;
  /** The most that any line charges or holds: what a chart must have room for. */
  readonly mostUsd: number;
}

/** Below a micro-dollar it is the noise of adding decimals. */
const NOTHING = 0.000_000_5;

/** The ledger of a job, step by step. What was charged and stands in no step has a line of its own: it always adds up. */
export function ledgerOf({ cost }: Pick<Job, 'cost'>, steps: readonly Step[]): Ledger {
  let runningUsd = 0;
  const lines: LedgerLine[] = steps.map(({ step, model }) => {
    const { reservedUsd, costUsd: settledUsd, unsettledUsd } = model;
    const tries = attemptsText(model);
    runningUsd += settledUsd + unsettledUsd;
    return { step, name: `Step ${step}`, reservedUsd, settledUsd, unsettledUsd, runningUsd, tries };
  });
  const sum = (of: (line: LedgerLine) => number): number => lines.reduce((all, line) => all + of(line), 0);
  const unsettledUsd = above(cost.unsettledUsd - sum((line) => line.unsettledUsd));
  const settledUsd = above(cost.spentUsd - cost.unsettledUsd - sum((line) => line.settledUsd));
  if (settledUsd + unsettledUsd > 0) {
    const name = settledUsd > 0 ? 'Not in the trace' : 'Since the last step';
    runningUsd += settledUsd + unsettledUsd;
    lines.push({ step: undefined, name, reservedUsd: 0, settledUsd, unsettledUsd, runningUsd, tries: '' });
  }
  if (cost.reservedUsd > 0) {
    const held = { settledUsd: 0, unsettledUsd: 0, reservedUsd: cost.reservedUsd, tries: '' };
    lines.push({ step: undefined, name: 'Under way', runningUsd, ...held });
  }
  const mostUsd = lines.reduce((most, line) => Math.max(most, line.runningUsd, heldAt(line)), 0);
  return { lines, ceilingUsd: cost.ceilingUsd, spentUsd: cost.spentUsd, mostUsd };
}

/** What was charged and held at once when a line's request was sent: never more than the ceiling. */
export function heldAt({ runningUsd, settledUsd, reservedUsd }: LedgerLine): number {
  return runningUsd - settledUsd + reservedUsd;
}

const above = (value: number): number => (value > NOTHING ? value : 0);
