import type { Agent } from '../../core/agent.ts';
import type { Item } from '../../ports.ts';
import type { Invariant } from './head-rules.ts';
import type { JobWatch } from './job-watch.ts';
import type { BatchSeen } from './records.ts';
import type { RefereeParts, Violation } from './referee.ts';

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
  readonly fail: (invariant: Invariant, jobId: string, what: string) => void;
  serial: number;
  /** The first one counts: what comes after it may be its consequence. */
  violation: Violation | undefined;
}

export function createCourt({ now, read, agents }: RefereeParts): Court {
  const court: Court = {
    now,
    jobs: new Map(),
    batches: new Map(),
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    costs: new Map(),
    itemAt: (id, at) => read({ pk: `JOB#${id}`, sk: `MSG#${String(at).padStart(6, '0')}` }),
    callAt: (id, born, place) => read({ pk: `JOB#${id}`, sk: `CALL#${born}.${place}` }),
    fail: (invariant, jobId, what) => {
      court.violation ??= { invariant, jobId, what, atMs: now() };
    },
    serial: 0,
    violation: undefined,
  };
  return court;
}
