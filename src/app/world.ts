import type { Agent } from '../core/agent.ts';
import type { FrozenAgent } from '../core/frozen-agent.ts';
import type { PriceTable } from '../core/prices.ts';
import type { Clock, Ids, Model, Notifier, StepQueue, Telemetry } from '../ports.ts';
import type { Chunk, Store } from './store.ts';
import type { WarmTranscripts } from './transcript.ts';

/** One structured line; never ticket text. Outside of tests it stands behind `privateLog`. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;

/** The kill switch of a tenant as it was read. */
export interface StopSeen {
  readonly stopped: boolean;
  readonly atMs: number;
}

/** The batches of a tenant that had rows to admit, and when that was read, in epoch milliseconds. */
export interface Admitting {
  readonly atMs: number;
  readonly batchIds: ReadonlySet<string>;
}

/** Everything the use cases touch, given as one argument. */
export interface World {
  readonly store: Store;
  readonly queue: StepQueue;
  readonly model: Model;
  /** The same wherever jobs end or are looked at: who is told is decided there, and done by the worker alone. */
  readonly notifier: Notifier;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly prices: PriceTable;
  /** How long an ended job or batch is kept, in milliseconds; an older one counts as absent. */
  readonly retentionMs: number;
  /** Transcripts that this process has read or written; a hash in the head proves each copy. */
  readonly warm: WarmTranscripts;
  /** Frozen agents read so far, by name and version. */
  readonly frozen: Map<string, FrozenAgent>;
  /** Chunks of rows read lately. They never change. */
  readonly chunks: Map<string, Chunk>;
  /** Which batches of a tenant admit rows, as it was lately, by tenant. */
  readonly admitting: Map<string, Admitting>;
  /** How many jobs of one tenant's batches run at once, more or less. @default 40 */
  readonly batchShare?: number;
  /** Which tenants were stopped or not, and when that was read. */
  readonly stops: Map<string, StopSeen>;
  /** What the jobs of one tenant that are admitted on one day in UTC may cost together, in micro-dollars; undefined for no bound. */
  readonly dailyMicroUsd: number | undefined;
  /** One line for each step as it is committed, and for each job that ends outside of one. @default none */
  readonly logSteps?: boolean;
  /** Told of the same. @default nobody is */
  readonly telemetry?: Telemetry;
  readonly log: Log;
}

/** Nobody is told of anything but by asking. */
export const tellsNobody: Notifier = { events: undefined, webhook: undefined };
