import type { Agent, Tool, ToolContext } from '../../core/agent.ts';
import type { Item, Key, ModelRequest, QueueMessage } from '../../ports.ts';
import { type Court, createCourt } from './court.ts';
import type { Invariant } from './head-rules.ts';
import { type JobWatch, watchOf } from './job-watch.ts';
import { asked, billed, ran } from './judge-calls.ts';
import { batchWritten, headWritten, itemWritten } from './judge-writes.ts';
import type { BatchSeen } from './records.ts';
import type { Process } from './sim.ts';

/** An invariant that did not hold, and what the referee saw. */
export interface Violation {
  readonly invariant: Invariant;
  readonly jobId: string;
  readonly what: string;
  readonly atMs: number;
}

/**
 * Watches a run from outside: what the provider was asked and billed, which effects tools had, what table and queue
 * hold. It judges after every event, and once more when everything has come to rest.
 */
export interface Referee {
  /** An accepted write. */
  readonly written: (process: Process, key: Key, before: Item | undefined, after: Item) => void;
  /** A request reaches the provider. Returns its serial number. */
  readonly asked: (process: Process, jobId: string, request: ModelRequest) => number;
  readonly billed: (jobId: string, serial: number, microUsd: number, unseen: boolean) => void;
  /** A message enters the queue. */
  readonly sent: (process: Process, message: QueueMessage) => void;
  /** A tool begins to take effect. */
  readonly ran: (process: Process, tool: Tool, input: unknown, context: ToolContext) => void;
  readonly logged: (
    process: Process,
    level: string,
    message: string,
    fields: Readonly<Record<string, unknown>>,
  ) => void;
  /** A caller was told that its job stands; that its cancel was taken. */
  readonly accepted: (jobId: string) => void;
  /** Somebody is about to ask for the cancel of these jobs. */
  readonly cancelling: (jobIds: readonly string[]) => void;
  readonly cancelled: (jobId: string) => void;
  /** A worker is done with a delivery. */
  readonly handled: (process: Process) => void;
  readonly fail: (invariant: Invariant, jobId: string, what: string) => void;
  readonly violation: () => Violation | undefined;
  readonly jobs: ReadonlyMap<string, JobWatch>;
  readonly batches: ReadonlyMap<string, BatchSeen>;
}

/** Reads and writes of one delivery that nothing went wrong with: retries against others' commits are among them. */
const MOST_OPERATIONS = 60;

export interface RefereeParts {
  readonly now: () => number;
  readonly read: (key: Key) => Item | undefined;
  readonly agents: readonly Agent[];
}

export function createReferee(parts: RefereeParts): Referee {
  const court: Court = createCourt(parts);
  const { fail } = court;
  return {
    fail,
    jobs: court.jobs,
    batches: court.batches,
    violation: () => court.violation,
    asked: (process, jobId, request) => asked(court, process, jobId, request),
    ran: (process, tool, input, context) => ran(court, process, tool, input, context),
    billed: (jobId, serial, microUsd, unseen) => billed(court, jobId, serial, microUsd, unseen),
    sent: (process, message) => {
      if (!('jobId' in message)) return;
      const { jobId, turn } = message;
      const committed = court.jobs.get(jobId)?.head?.turn ?? 0;
      if (turn > committed)
        fail('4 progress', jobId, `${process.actor} sends turn ${turn}, and ${committed} is committed`);
    },
    written: (process, { pk, sk }, before, after) => {
      const id = pk.slice(pk.indexOf('#') + 1);
      if (sk === 'JOB') headWritten(court, process, id, after);
      else if (sk === 'BATCH') batchWritten(court, process, id, after);
      else if (sk.startsWith('MSG#')) itemWritten(court, id, sk, before, after);
    },
    accepted: (jobId) => {
      watchOf(court.jobs, jobId).accepted = true;
    },
    cancelling: (jobIds) => {
      for (const jobId of jobIds) watchOf(court.jobs, jobId).cancelWanted = true;
    },
    cancelled: (jobId) => {
      const head = court.jobs.get(jobId)?.head;
      if (head?.state !== 'c' && head?.raw['cr'] !== true)
        fail('6 final is final', jobId, 'a cancel was answered, and the job does not know of it');
    },
    handled: ({ actor, struck, operations }) => {
      if (actor === 'worker' && struck === 0 && operations > MOST_OPERATIONS)
        fail(
          '10 flat',
          '',
          `${operations} operations on the table for one delivery, the most is ${MOST_OPERATIONS}`,
        );
    },
    logged: ({ actor }, level, message, fields) => {
      const error = String(fields['error'] ?? '');
      if (level === 'error' && error !== '' && !error.startsWith('RetryableError'))
        fail('unexpected error', '', `${actor}: ${message}: ${error} ${String(fields['message'] ?? '')}`);
    },
  };
}
