import type { Agent, Tool, ToolContext } from '../../core/agent.ts';
import type { Item, Key, ModelRequest } from '../../ports.ts';
import { requestProblem } from './check-request.ts';
import { type HeadChange, headRules, type Invariant } from './head-rules.ts';
import { callWatch, commitItem, createJobWatch, type JobWatch } from './job-watch.ts';
import { type BatchSeen, hasEnded, readBatch, readHead } from './records.ts';
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

export function createReferee({ now, read, agents }: RefereeParts): Referee {
  const jobs = new Map<string, JobWatch>();
  const batches = new Map<string, BatchSeen>();
  const costs = new Map<string, number>();
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  let serial = 0;
  let violation: Violation | undefined;
  const fail: Referee['fail'] = (invariant, jobId, what) => {
    violation ??= { invariant, jobId, what, atMs: now() };
  };
  const watchOf = (id: string): JobWatch => {
    const known = jobs.get(id);
    if (known !== undefined) return known;
    const fresh = createJobWatch(id);
    jobs.set(id, fresh);
    return fresh;
  };
  const expiryMs = (agent: string, tool: string): number =>
    (byName.get(agent)?.tools.get(tool)?.gate?.expiresInSeconds ?? 0) * 1000;
  const itemAt = (id: string, at: number): Item | undefined =>
    read({ pk: `JOB#${id}`, sk: `MSG#${String(at).padStart(6, '0')}` });

  const headWritten = (process: Process, id: string, item: Item): void => {
    const watch = watchOf(id);
    const before = watch.head;
    const after = readHead(item);
    const change: HeadChange = {
      ...{ process, watch, before, after, expiryMs },
      nowMs: now() + process.skewMs,
      read: (at) => itemAt(id, at),
    };
    for (const { invariant, check } of headRules) {
      const wrong = check(change);
      if (wrong !== undefined) fail(invariant, id, wrong);
    }
    watch.head = after;
    for (let at = (before?.count ?? 0) + 1; at <= after.count; at += 1) {
      const stored = itemAt(id, at);
      const wrong =
        stored === undefined
          ? `item ${at} is committed and not stored`
          : commitItem(watch, stored, costs.get(String(stored['requestId'])));
      if (wrong !== undefined) fail('5 transcript', id, wrong);
    }
    if (after.steps !== watch.committedReplies)
      fail('2 steps', id, `${after.steps} steps for ${watch.committedReplies} committed replies`);
    if (process.actor === 'worker' && before !== undefined && after.fence > before.fence) {
      process.fence = after.fence;
      const left = itemAt(id, after.count + 1);
      const paid = left !== undefined && left['stop'] !== '' && left['turn'] === after.turn;
      watch.mustAdopt = paid && before.state === 'r' ? after.fence : 0;
    }
    if (before === undefined) created(watch);
    if (watch.batchId !== undefined) poolHolds(watch.batchId);
  };

  const created = (watch: JobWatch): void => {
    const info = itemAt(watch.id, 1)?.['info'];
    const batchId = typeof info === 'string' ? (JSON.parse(info) as { batchId?: string }).batchId : undefined;
    if (batchId === undefined) return;
    watch.batchId = batchId;
    const batch = batches.get(batchId);
    watch.late = batch?.cancelRequested === true;
    const made = [...jobs.values()].filter((job) => job.batchId === batchId && job.head !== undefined).length;
    if (batch === undefined || made > batch.cursor)
      fail('1 money', watch.id, `job ${made} of a batch that has admitted ${batch?.cursor ?? 0}`);
  };

  /** What live jobs may still spend and ended ones have spent. */
  const poolHolds = (batchId: string): void => {
    const batch = batches.get(batchId);
    if (batch === undefined) return;
    let held = 0;
    let billed = 0;
    for (const { head, batchId: of, billed: paid } of jobs.values()) {
      if (of !== batchId || head === undefined) continue;
      held += hasEnded(head) ? head.charged : head.ceiling;
      billed += paid;
    }
    if (held > batch.budget) fail('1 money', batchId, `its jobs hold ${held}, the pool is ${batch.budget}`);
    if (billed > batch.budget)
      fail('1 money', batchId, `the provider billed ${billed}, the pool is ${batch.budget}`);
  };

  const batchWritten = (id: string, item: Item): void => {
    const batch = readBatch(item);
    batches.set(id, batch);
    if (batch.spent + batch.held > batch.budget)
      fail('1 money', id, `${batch.spent} spent and ${batch.held} held, the pool is ${batch.budget}`);
    if (batch.status === 'running' && batch.dueMs === 0)
      fail('4 progress', id, 'a live batch is in no index of what is due');
    poolHolds(id);
  };

  const itemWritten = (id: string, sk: string, before: Item | undefined, after: Item): void => {
    const at = Number(sk.slice('MSG#'.length));
    const head = jobs.get(id)?.head;
    if (head === undefined || at > head.count || before === undefined) return;
    if (before['user'] !== after['user'] || before['reply'] !== after['reply'])
      fail('5 transcript', id, `committed item ${at} was overwritten`);
  };

  const asked: Referee['asked'] = (process, jobId, request) => {
    serial += 1;
    const watch = watchOf(jobId);
    const { head } = watch;
    watch.requests += 1;
    const wrong = requestProblem(request.messages);
    if (wrong !== undefined) fail('5 transcript', jobId, wrong);
    const sent = request.messages.map((message) => JSON.stringify(message));
    const holds = head !== undefined && head.state === 'r' && head.fence === process.fence;
    const known = sent.findIndex((text, at) => text !== watch.messages[at]);
    const same = known < 0 ? sent.length : known;
    const trims = byName.get(head?.agent ?? '')?.context !== undefined;
    if (!trims && (same < sent.length - 1 || (holds && same < watch.messages.length)))
      fail('5 transcript', jobId, `request ${serial} leaves the committed transcript at message ${same + 1}`);
    if (watch.askedBy.has(process.fence))
      fail('1 money', jobId, `two requests on the reserve of fence ${process.fence}`);
    watch.askedBy.add(process.fence);
    if (holds && watch.mustAdopt === process.fence)
      fail('7 paid replies', jobId, 'a reply that was durable before the claim is paid for again');
    if (watch.late) fail('4 progress', jobId, 'a job made after its batch was cancelled asks the model');
    if (head === undefined) fail('1 money', jobId, 'a job without a head asks the model');
    return serial;
  };

  const ran: Referee['ran'] = (process, tool, input, context) => {
    const { jobId, idempotencyKey, tenant } = context;
    const watch = watchOf(jobId);
    const call = callWatch(watch, tool.name, input);
    call.runs += 1;
    call.keys.add(idempotencyKey);
    if (call.committed === 0)
      fail('3 effects', jobId, `${tool.name} ran for a call that no committed reply holds`);
    if (tool.policy === 'once' && call.runs > call.committed)
      fail(
        '3 effects',
        jobId,
        `a once call of ${tool.name} ran ${call.runs} times for ${call.committed} calls`,
      );
    if (call.keys.size > call.committed)
      fail('3 effects', jobId, `${call.keys.size} keys for ${call.committed} calls of ${tool.name}`);
    if (tool.gate?.when(input) === true && call.keys.size > call.approved)
      fail(
        '8 approvals',
        jobId,
        `${tool.name} ran for ${call.keys.size} calls, ${call.approved} were approved`,
      );
    if (watch.head?.tenant !== tenant) fail('9 isolation', jobId, `a tool was told of tenant ${tenant}`);
    if (watch.head?.state === 's' && watch.head.fence === process.fence)
      fail('6 final is final', jobId, `${tool.name} ran after its job had succeeded`);
  };

  return {
    jobs,
    batches,
    asked,
    ran,
    fail,
    violation: () => violation,
    accepted: (jobId) => {
      watchOf(jobId).accepted = true;
    },
    cancelled: (jobId) => {
      const head = watchOf(jobId).head;
      if (head?.state !== 'c' && head?.raw['cr'] !== true)
        fail('6 final is final', jobId, 'a cancel was answered, and the job does not know of it');
    },
    handled: (process) => {
      const most = process.actor === 'worker' ? MOST_OPERATIONS : Number.POSITIVE_INFINITY;
      if (process.struck === 0 && process.operations > most)
        fail(
          '10 flat',
          '',
          `${process.operations} operations on the table for one delivery, the most is ${most}`,
        );
    },
    billed: (jobId, of, microUsd, unseen) => {
      const watch = watchOf(jobId);
      watch.billed += microUsd;
      if (!unseen) costs.set(`req_${of}`, microUsd);
      const charged = watch.head?.charged ?? 0;
      if (watch.billed > charged)
        fail('1 money', jobId, `the provider billed ${watch.billed}, only ${charged} are charged`);
      if (watch.batchId !== undefined) poolHolds(watch.batchId);
    },
    written: (process, { pk, sk }, before, after) => {
      const id = pk.slice(pk.indexOf('#') + 1);
      if (sk === 'JOB') headWritten(process, id, after);
      else if (sk === 'BATCH') batchWritten(id, after);
      else if (sk.startsWith('MSG#')) itemWritten(id, sk, before, after);
    },
    logged: (process, level, message, fields) => {
      const error = String(fields['error'] ?? '');
      if (level === 'error' && error !== '' && !error.startsWith('RetryableError'))
        fail(
          'unexpected error',
          '',
          `${process.actor}: ${message}: ${error} ${String(fields['message'] ?? '')}`,
        );
    },
  };
}
