import type { TokenUsage } from '../../core/prices.ts';

/** Records above which the oldest are forgotten; the bill still counts them. */
const MAX_CALLS = 100_000;

/** One request for a reply, and what it cost. Holds no text of the conversation. */
export interface CallRecord {
  /** Counted from 1. */
  readonly n: number;
  /** `metadata.user_id`, or a hash of the first user message; `null` for a body that could not be read. */
  readonly conversation: string | null;
  readonly model: string | null;
  readonly status: number;
  /** `null` where nothing was answered, or the answer did not say. */
  readonly usage: TokenUsage | null;
  readonly costMicroUsd: number | null;
  readonly maxTokens: number | null;
  readonly requestBytes: number;
  /** Whether the request extends the conversation's previous one byte for byte; `null` for the first. */
  readonly prefixIntact: boolean | null;
  readonly prefixDifference?: string;
  /** Why the server refused the request itself; absent for scripted errors. */
  readonly problem?: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** What was asked and what was billed. */
export interface CallLog {
  readonly add: (record: Omit<CallRecord, 'n'>) => void;
  readonly records: () => readonly CallRecord[];
  readonly billedMicroUsd: () => number;
}

export function createCallLog(): CallLog {
  const records: CallRecord[] = [];
  let total = 0;
  let billed = 0;
  return {
    add: (record) => {
      total += 1;
      billed += record.costMicroUsd ?? 0;
      records.push({ n: total, ...record });
      if (records.length > MAX_CALLS) records.shift();
    },
    records: () => records,
    billedMicroUsd: () => billed,
  };
}
