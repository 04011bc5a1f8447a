import type { Agent, Tool, ToolContext } from '../../core/agent.ts';
import type { Item, Key, ModelRequest, Notice, QueueMessage } from '../../ports.ts';
import { type Court, createCourt } from './court.ts';
import { tenantWritten } from './day-watch.ts';
import type { Invariant } from './head-rules.ts';
import { blocksOf, type JobWatch, watchOf } from './job-watch.ts';
import { asked, billed, ran } from './judge-calls.ts';
import { batchWritten, headWritten, itemWritten } from './judge-writes.ts';
import { heard, refused, telling, type Way } from './notice-watch.ts';
import { withOriginals } from './originals.ts';
import type { BatchSeen } from './records.ts';
import type { Listeners } from './scenario.ts';
import type { Process } from './sim.ts';
import { EVERYTHING, mustNotBeStopped, switchWritten } from './switch-watch.ts';

/** An invariant that did not hold, and what the referee saw. */
export interface Violation {
  readonly invariant: Invariant;
  readonly jobId: string;
  readonly what: string;
  readonly atMs: number;
}

/**
 * Watches a run from outside: what the provider was asked and billed, which effects tools had, what table and queue
 * hold, what others were told. It judges after every event, and once more when everything has come to rest.
 */
export interface Referee extends Answers {
  /** An accepted write. */
  readonly written: (process: Process, key: Key, before: Item | undefined, after: Item) => void;
  readonly removed: (process: Process, key: Key) => void;
  /** A request reaches the provider. Returns its serial number. */
  readonly asked: (process: Process, jobId: string, request: ModelRequest) => number;
  readonly billed: (jobId: string, serial: number, microUsd: number, unseen: boolean) => void;
  /** A message enters the queue. */
  readonly sent: (process: Process, message: QueueMessage) => void;
  /** A tool begins to take effect. */
  readonly ran: (process: Process, tool: Tool, input: unknown, context: ToolContext) => void;
  /** Somebody is about to be told, has heard, or says that they never will. */
  readonly telling: (way: Way, notice: Notice) => void;
  readonly heard: (way: Way, notice: Notice) => void;
  readonly refused: (way: Way, notice: Notice) => void;
  readonly logged: (
    process: Process,
    level: string,
    message: string,
    fields: Readonly<Record<string, unknown>>,
  ) => void;
  /** A worker is done with a delivery. */
  readonly handled: (process: Process) => void;
  readonly fail: (invariant: Invariant, jobId: string, what: string) => void;
  readonly violation: () => Violation | undefined;
  readonly court: Court;
  readonly jobs: ReadonlyMap<string, JobWatch>;
  readonly batches: ReadonlyMap<string, BatchSeen>;
  /** Whether a tenant is stopped; without one, whether everything is. */
  readonly stopped: (tenant: string | undefined) => boolean;
  /** Whether nobody has to look at a batch any more, but whoever asks for something. */
  readonly rests: (batchId: string, batch: BatchSeen) => boolean;
  /** The notice that somebody is still to be told; empty for none. */
  readonly untold: () => string;
}

/** What people ask for, and the answers they get. */
interface Answers {
  /** A caller was told that its job or batch stands, with this input or first row. */
  readonly accepted: (id: string, input: string) => void;
  /** A caller was told that its key stands for another body; `rival` is what they asked for, where somebody else did too. */
  readonly conflicted: (id: string, rival: string | undefined) => void;
  /** Somebody is about to ask for the cancel of these jobs. */
  readonly cancelling: (jobIds: readonly string[]) => void;
  readonly cancelled: (jobId: string) => void;
  readonly deleted: (jobId: string) => void;
  readonly followedUp: (process: Process, jobId: string, answer: string) => void;
  readonly extended: (process: Process, batchId: string, answer: string) => void;
  readonly rowsTaken: (batchId: string, keys: readonly string[]) => void;
}

/** Reads and writes of one delivery that nothing went wrong with: retries against others' commits are among them. */
const MOST_OPERATIONS = 60;

export interface RefereeParts {
  readonly now: () => number;
  readonly read: (key: Key) => Item | undefined;
  readonly query: (pk: string, from: string, to: string) => readonly Item[];
  readonly agents: readonly Agent[];
  readonly dailyMicroUsd: number | undefined;
  readonly listeners: Listeners;
}

export function createReferee(parts: RefereeParts): Referee {
  const court: Court = createCourt(parts);
  const { fail } = court;
  return {
    fail,
    court,
    jobs: court.jobs,
    batches: court.batches,
    violation: () => court.violation,
    asked: (process, jobId, request) => asked(court, process, jobId, request),
    ran: (process, tool, input, context) => ran(court, process, tool, input, context),
    billed: (jobId, serial, microUsd, unseen) => billed(court, jobId, serial, microUsd, unseen),
    telling: (way, notice) => telling(court, way, notice),
    heard: (way, notice) => heard(court, way, notice),
    refused: (way, notice) => refused(court, way, notice),
    sent: (process, message) => sent(court, process, message),
    written: (process, key, before, after) => written(court, process, key, before, after),
    removed: ({ actor }, { pk, sk }) => {
      const jobId = idIn(pk);
      if (court.jobs.get(jobId)?.head?.raw['dd'] !== true)
        fail('6 final is final', jobId, `${actor} removes ${sk} of a job that is not deleted`);
    },
    ...answers(court),
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
    stopped: (tenant = EVERYTHING) => court.stops.has(tenant),
    rests: (id, batch) => rests(court, id, batch),
    untold: () => court.untold.values().next().value ?? '',
  };
}

const idIn = (pk: string): string => pk.slice(pk.indexOf('#') + 1);

function sent(court: Court, process: Process, message: QueueMessage): void {
  if ('noteOf' in message) return;
  const id = 'jobId' in message ? message.jobId : message.batchId;
  const head = 'jobId' in message ? court.jobs.get(id)?.head : court.batches.get(id);
  mustNotBeStopped(court, process, head?.tenant ?? '', id, 'sends a turn');
  const committed = head?.turn ?? 0;
  if (message.turn > committed)
    court.fail(
      '4 progress',
      id,
      `${process.actor} sends turn ${message.turn}, and ${committed} is committed`,
    );
}

function written(
  court: Court,
  process: Process,
  { pk, sk }: Key,
  before: Item | undefined,
  after: Item,
): void {
  const id = idIn(pk);
  if (sk === 'JOB') headWritten(court, process, id, after);
  else if (sk === 'BATCH') batchWritten(court, process, id, before, after);
  else if (sk.startsWith('MSG#')) itemWritten(court, id, sk, before, after);
  else if (sk.startsWith('NOTE#')) {
    if (after['du'] === undefined) court.untold.delete(`${pk} ${sk}`);
    else court.untold.add(`${pk} ${sk}`);
  } else if (sk.startsWith('CHUNK#')) court.chunks.set(id, (court.chunks.get(id) ?? 0) + 1);
  else if (sk === 'ALL') switchWritten(court, EVERYTHING, after);
  else if (sk === 'TENANT') {
    switchWritten(court, id, after);
    tenantWritten(court, id, before, after);
  }
}

function rests({ chunks }: Court, id: string, batch: BatchSeen): boolean {
  if (batch.status !== 'running') return batch.dueMs === 0;
  const idle = batch.accepting && batch.open === 0 && batch.cursor === batch.rows && !batch.cancelRequested;
  return idle && batch.chunks.length === (chunks.get(id) ?? 0);
}

function answers(court: Court): Answers {
  const { fail } = court;
  return {
    accepted: (id, input) => {
      const watch = watchOf(court.jobs, id);
      watch.inputs.add(input);
      if (watch.inputs.size > 1) fail('13 keys', id, 'two bodies were accepted under one key');
      const first = blocksOf(court.itemAt(id, 1), 'user')[0]?.['text'];
      const said = withOriginals(first, (at) => court.itemAt(id, at), 1);
      if (said !== undefined && said !== input)
        fail('13 keys', id, `a caller was told that it stands with "${input}", it is "${said}"`);
    },
    conflicted: (id, rival) => {
      if (rival === undefined) fail('13 keys', id, 'a job conflicts with itself');
      else if (court.jobs.get(id)?.inputs.has(rival) === true)
        fail('13 keys', id, 'one body was accepted and refused');
    },
    cancelling: (jobIds) => {
      for (const jobId of jobIds) watchOf(court.jobs, jobId).cancelWanted = true;
    },
    cancelled: (jobId) => {
      if (court.jobs.get(jobId)?.cancelTaken !== true)
        fail('6 final is final', jobId, 'a cancel was answered, and the job does not know of it');
    },
    deleted: (jobId) => {
      watchOf(court.jobs, jobId).deleted = true;
    },
    followedUp: ({ wish, granted }, jobId, answer) => {
      if (wish?.type !== 'follow up' || (answer !== 'accepted' && answer !== 'same')) return;
      const known = wish.key === undefined ? undefined : court.jobs.get(jobId)?.followUps.get(wish.key);
      if (answer === 'accepted' && !granted)
        fail('13 keys', jobId, 'a follow-up was accepted, and the job does not know of it');
      if (known !== undefined && known.content !== wish.content)
        fail('13 keys', jobId, `a follow-up was answered ${answer}, its key stands for another content`);
    },
    extended: ({ wish, adds }, batchId, answer) => {
      const key = wish?.type === 'extend batch' ? wish.key : undefined;
      if (key === undefined || answer !== 'accepted') return;
      const made = court.poolKeys.get(`${batchId} ${key}`);
      if (made === undefined || (adds !== undefined && made !== adds.microUsd))
        fail('13 keys', batchId, `an extension under ${key} was accepted, made is ${made}`);
    },
    rowsTaken: (batchId, keys) => {
      const taken = court.rowsTaken.get(batchId) ?? new Set();
      for (const key of keys) taken.add(key);
      court.rowsTaken.set(batchId, taken);
    },
  };
}
