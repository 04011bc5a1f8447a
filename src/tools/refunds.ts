import * as z from 'zod';
import type { CheckResult } from '../core/agent.ts';
import { appendJsonLine, pathFrom, readJsonLines } from './json-lines.ts';
import { findOrder } from './shop-data.ts';

const refundSchema = z.object({ key: z.string(), orderId: z.string(), amountCents: z.number() });

/** One refund that took effect. */
export type Refund = z.output<typeof refundSchema>;

const inMemory: Refund[] = [];

/**
 * A payment provider for demos. Refunds are JSON lines in the file that `TREADLE_REFUNDS_FILE` names at the time of the
 * call, so that processes can be killed and their effects counted; without it they are kept in memory.
 * A key that was seen before gives its first refund back, without a second effect.
 */
export function makeRefund(refund: Refund): Refund {
  const earlier = refundByKey(refund.key);
  if (earlier !== undefined) return earlier;
  const file = refundsFile();
  if (file === undefined) inMemory.push(refund);
  else appendJsonLine(file, refund);
  return refund;
}

/** Pays part or all of an order back, under a key. Throws for an unknown order, and for more than it cost. */
export function payBack(key: string, orderId: string, amountCents: number): unknown {
  const order = findOrder(orderId);
  if (amountCents > order.amountCents) {
    throw new Error(`refund of ${amountCents} cents is more than order ${orderId} cost`);
  }
  return resultOf(makeRefund({ key, orderId: order.orderId, amountCents }));
}

/** What a refund tool says of a call that a crash left half-done. */
export function paidBack(key: string): CheckResult {
  const made = refundByKey(key);
  return made === undefined ? { done: false } : { done: true, result: resultOf(made) };
}

/** The key is ours alone. */
function resultOf({ key: _, ...refund }: Refund): unknown {
  return { refunded: true, ...refund };
}

/** The refund that was made under this key, if any. */
export function refundByKey(key: string): Refund | undefined {
  return listRefunds().find((refund) => refund.key === key);
}

/** Every refund that took effect, oldest first. */
export function listRefunds(): readonly Refund[] {
  const file = refundsFile();
  if (file === undefined) return [...inMemory];
  return readJsonLines(file).flatMap((line) => {
    const { success, data } = refundSchema.safeParse(line);
    return success ? [data] : [];
  });
}

const refundsFile = (): string | undefined => pathFrom('TREADLE_REFUNDS_FILE');
