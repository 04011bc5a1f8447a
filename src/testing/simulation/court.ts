import type { Agent } from '../../core/agent.ts';
import type { Item } from '../../ports.ts';
import type { Invariant } from './head-rules.ts';
import type { JobWatch } from './job-watch.ts';
import type { Happening } from './notice-watch.ts';
import type { BatchSeen } from './records.ts';
import type { RefereeParts, Violation } from './referee.ts';
import type { Listeners } from './scenario.ts';

/** What the referee has seen so far, and how it speaks up. */
export interface Court {
  readonly now: () => number;
  readonly jobs: Map<string, JobWatch>;
  readonly batches: Map<string, BatchSeen>;
  readonly agents: ReadonlyMap<string, Agent>;
  /** What the provider billed for each reply it sent whole, by request id. */
  readonly costs: Map<string, number>;
  /** The stored item of a job, by its place. */
  readonly itemAt: (jobId: string, at: number) => Item | undefined;
  /** The journal of a call. */
  readonly callAt: (jobId: string, born: number, place: number) => Item | undefined;
  readonly chunkAt: (batchId: string, n: number) => Item | undefined;
  readonly query: RefereeParts['query'];
  readonly dailyMicroUsd: number | undefined;
  readonly listeners: Listeners;
  /** What others may be told of, by kind, id and time; and by the id under which they were. */
  readonly happenings: Map<string, Happening>;
  readonly told: Map<string, Happening>;
  /** Notices that somebody is still to be told, by their keys. */
  readonly untold: Set<string>;
  /** The pools of the day as they stand, by tenant; and what was taken for a job that has not begun since. */
  readonly days: Map<string, { readonly day: number; readonly taken: number }>;
  readonly takes: Map<string, number>;
  /** Since when tenants, or everything, are stopped. */
  readonly stops: Map<string, number>;
  /** How many chunks were put into each batch. */
  readonly chunks: Map<string, number>;
  /** The keys of rows that callers were told are taken, by batch. */
  readonly rowsTaken: Map<string, Set<string>>;
  /** What was added under each key of each batch. */
  readonly poolKeys: Map<string, number>;
  readonly fail: (invariant: Invariant, jobId: string, what: string) => void;
  serial: number;
  /** The first one counts: what comes after it may be its consequence. */
  violation: Violation | undefined;
}

export function createCourt({ now, read, query, agents, dailyMicroUsd, listeners }: RefereeParts): Court {
  const court: Court = {
    ...{ now, query, dailyMicroUsd, listeners },
    jobs: new Map(),
    batches: new Map(),
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    costs: new Map(),
    itemAt: (id, at) => read({ pk: `JOB#${id}`, sk: `MSG#${String(at).padStart(6, '0')}` }),
    callAt: (id, born, place) => read({ pk: `JOB#${id}`, sk: `CALL#${born}.${place}` }),
    chunkAt: (id, n) => read({ pk: `BATCH#${id}`, sk: `CHUNK#${String(n).padStart(6, '0')}` }),
    ...{ happenings: new Map(), told: new Map(), untold: new Set() },
    ...{ days: new Map(), takes: new Map(), stops: new Map() },
    ...{ chunks: new Map(), rowsTaken: new Map(), poolKeys: new Map() },
    fail: (invariant, jobId, what) => {
      court.violation ??= { invariant, jobId, what, atMs: now() };
    },
    serial: 0,
    violation: undefined,
  };
  return court;
}
