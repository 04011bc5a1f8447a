import type { Ledger } from './job.ts';

/** What may still be reserved, in micro-dollars; below 0 when a reply cost more than its bound. */
export function available(ledger: Ledger): number {
  return ledger.ceiling - ledger.settled - ledger.reserved - ledger.unsettled;
}

/** Everything that counts as spent: booked, and held for calls whose outcome is unknown. */
export function charged(ledger: Ledger): number {
  return ledger.settled + ledger.unsettled;
}

/** Holds the worst cost of one request before it is sent. */
export function reserve(ledger: Ledger, amount: number): Ledger {
  return { ...ledger, reserved: ledger.reserved + amount };
}

/** Gives the reserve back: only for a request that is proven not to be billed, or that was never sent. */
export function release(ledger: Ledger): Ledger {
  return { ...ledger, reserved: 0 };
}

/** The outcome of the reserved request is unknown: its money stays charged. */
export function unsettle(ledger: Ledger): Ledger {
  return { ...ledger, reserved: 0, unsettled: ledger.unsettled + ledger.reserved };
}

/** Books the true cost of a reply and releases the reserve that was held for it. */
export function settle(ledger: Ledger, cost: number): Ledger {
  return { ...ledger, reserved: 0, settled: ledger.settled + cost };
}

/** Books a reply of a dead attempt: its reserve had become unsettled; the adopter's own is released. */
export function adopt(ledger: Ledger, cost: number, reserved: number): Ledger {
  return {
    ...ledger,
    reserved: 0,
    unsettled: ledger.unsettled - reserved,
    settled: ledger.settled + cost,
  };
}
