import type { Clock } from '../ports.ts';

/** One delivery of a queue message to an invocation of the worker. */
export interface Delivery {
  /** The id of the message: the same on every redelivery. */
  readonly id: string;
  readonly receiptHandle: string;
  /** When the message was sent, in epoch milliseconds. */
  readonly sentMs: number;
  /** When this invocation began, and when it will be killed. */
  readonly startedMs: number;
  readonly deadlineMs: number;
}

/** What becomes of the message: gone, or delivered again by the queue. */
export type Handled = 'done' | 'retry';

/** Time kept free at the end of an invocation for the writes that record what was done. */
export const CLOSING_MS = 3_000;

/** Milliseconds that work of this invocation may still take. */
export function timeLeft(delivery: Delivery, clock: Clock): number {
  return delivery.deadlineMs - CLOSING_MS - clock.now();
}

/**
 * Whether work that takes up to `wantedMs` may start. A young invocation may start anything: no other would have more
 * time for it.
 */
export function timeFor(wantedMs: number, delivery: Delivery, clock: Clock): boolean {
  const left = timeLeft(delivery, clock);
  const young = clock.now() - delivery.startedMs < (delivery.deadlineMs - delivery.startedMs) / 2;
  return left >= wantedMs || (young && left > 0);
}

/** Why a timer is stopped. One value for all: making the default reason of `abort` costs more than the rest of it. */
export const OVER = 'over';
