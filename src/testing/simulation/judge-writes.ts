import type { Item } from '../../ports.ts';
import type { Court } from './court.ts';
import { admitted } from './day-watch.ts';
import { type HeadChange, headRules } from './head-rules.ts';
import { commitItem, cutBack, type JobWatch, watchOf } from './job-watch.ts';
import { noteBatchNews, noteJobNews } from './notice-watch.ts';
import { type HeadSeen, hasEnded, readBatch, readHead } from './records.ts';
import type { Process } from './sim.ts';
import { mustNotBeStopped } from './switch-watch.ts';

/** An accepted write of a head: every rule is checked, and what it committed is taken into the job's history. */
export function headWritten(court: Court, process: Process, id: string, item: Item): void {
  const { fail, itemAt, agents } = court;
  const watch = watchOf(court.jobs, id);
  const before = watch.head;
  const after = readHead(item);
  const change: HeadChange = {
    ...{ process, watch, before, after },
    toolOf: (name) => agents.get(after.agent)?.tools.get(name),
    callAt: (born, place) => court.callAt(id, born, place),
    nowMs: court.now() + process.skewMs,
    read: (at) => itemAt(id, at),
  };
  for (const { invariant, check } of headRules) {
    const wrong = check(change);
    if (wrong !== undefined) fail(invariant, id, wrong);
  }
  watch.head = after;
  if (after.count < (before?.count ?? 0)) cutBack(watch, after.count);
  for (let at = (before?.count ?? 0) + 1; at <= after.count; at += 1) {
    const stored = itemAt(id, at);
    const wrong =
      stored === undefined
        ? `item ${at} is committed and not stored`
        : commitItem(watch, stored, court.costs.get(String(stored['requestId'])));
    if (wrong !== undefined) fail('5 transcript', id, wrong);
  }
  if (after.steps !== watch.committedReplies)
    fail('2 steps', id, `${after.steps} steps for ${watch.committedReplies} committed replies`);
  if (after.tokens !== watch.tokens)
    fail('2 steps', id, `${after.tokens} tokens are counted, its committed replies used ${watch.tokens}`);
  note(watch, process, before, after);
  noteJobNews(court, id, before, after);
  if (after.state === 'r' && after.fence > (before?.fence ?? 0))
    mustNotBeStopped(court, process, after.tenant, id, 'claims a step');
  if (process.actor === 'worker' && before !== undefined && after.fence > before.fence) {
    process.fence = after.fence;
    const left = itemAt(id, after.count + 1);
    const paid = left !== undefined && left['stop'] !== '' && left['turn'] === after.turn;
    watch.mustAdopt = paid && before.state === 'r' ? after.fence : 0;
  }
  const wentOn = before?.count !== after.count || before.raw['wa'] !== after.raw['wa'];
  if (before === undefined || wentOn || hasEnded(before)) watch.claims = 0;
  else if (after.fence > before.fence) watch.claims += 1;
  if (before === undefined) created(court, watch);
  admitted(court, watch, before, after);
  if (watch.batchId !== undefined) poolHolds(court, watch.batchId);
}

/** What later writes are judged by. */
function note(watch: JobWatch, process: Process, before: HeadSeen | undefined, after: HeadSeen): void {
  const { pending } = after;
  if (after.state === 'w') watch.waited = true;
  if (pending !== undefined) watch.letters.set(pending.born, pending.states);
  if (after.state === 'c' || after.raw['cr'] === true) watch.cancelTaken = true;
  if (before === undefined) return;
  if (after.ceiling > before.ceiling) watch.poolCut = false;
  // One request extends once.
  if (hasEnded(before) && !hasEnded(after)) {
    const { wish } = process;
    process.adds = undefined;
    process.granted = true;
    if (wish?.type === 'follow up' && wish.key !== undefined)
      watch.followUps.set(wish.key, { content: wish.content, at: after.count });
  }
  if (after.state !== 'q' || after.steps > before.steps) watch.retryAtMs = 0;
  else if (before.state === 'r' && process.fence === before.fence) watch.retryAtMs = process.retryAtMs;
}

function created({ jobs, batches, itemAt, fail }: Court, watch: JobWatch): void {
  const info = itemAt(watch.id, 1)?.['info'];
  const batchId = typeof info === 'string' ? (JSON.parse(info) as { batchId?: string }).batchId : undefined;
  if (batchId === undefined) return;
  watch.batchId = batchId;
  const batch = batches.get(batchId);
  if (batch?.status === 'cancelled' && watch.head !== undefined && !hasEnded(watch.head))
    fail('6 final is final', watch.id, 'a job starts in a batch that has ended cancelled');
  watch.poolCut = (watch.head?.ceiling ?? 0) < (batch?.ceiling ?? 0);
  const made = [...jobs.values()].filter((job) => job.batchId === batchId && job.head !== undefined).length;
  if (batch === undefined || made > batch.cursor)
    fail('1 money', watch.id, `job ${made} of a batch that has admitted ${batch?.cursor ?? 0}`);
}

/** What live jobs may still spend and ended ones have spent. */
export function poolHolds({ jobs, batches, fail }: Court, batchId: string): void {
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
}

export function batchWritten(
  court: Court,
  process: Process,
  id: string,
  was: Item | undefined,
  item: Item,
): void {
  const { batches, jobs, fail } = court;
  const batch = readBatch(item);
  const before = batches.get(id);
  if (before !== undefined && batch.budget !== before.budget) {
    if (batch.budget !== before.budget + (process.adds?.microUsd ?? 0))
      fail('1 money', id, `${process.actor} made the pool ${batch.budget} of ${before.budget}`);
    process.adds = undefined;
  }
  noteBatchNews(court, id, was, item);
  keyed(court, process, id, was, item);
  if (batch.open > 0 && (batch.status === 'done' || batch.status === 'cancelled'))
    fail('4 progress', id, `it is ${batch.status}, and ${batch.open} of its rows are open`);
  if (before !== undefined && batch.cursor > before.cursor && batch.status !== 'cancelled') {
    mustNotBeStopped(court, process, batch.tenant, id, 'admits a row');
    if (before.status !== 'running') fail('6 final is final', id, `it admits a row and is ${before.status}`);
    if (before.cancelRequested) fail('6 final is final', id, 'it admits a row, and is to be cancelled');
    const waited = [...jobs.values()].filter((job) => job.batchId === id && job.waited).length;
    if (batch.open - waited > batch.concurrency)
      fail('1 money', id, `${batch.open} of its jobs are open, ${batch.concurrency} may run at once`);
  }
  batches.set(id, batch);
  if (batch.spent + batch.held > batch.budget)
    fail('1 money', id, `${batch.spent} spent and ${batch.held} held, the pool is ${batch.budget}`);
  if (batch.status === 'running' && batch.dueMs === 0)
    fail('4 progress', id, 'a live batch is in no index of what is due');
  poolHolds(court, id);
}

/** One key raises the pool once, whoever asks, and for one amount. */
function keyed(court: Court, process: Process, id: string, was: Item | undefined, item: Item): void {
  const key = process.wish?.type === 'extend batch' ? process.wish.key : undefined;
  if (key === undefined || was?.['budget'] === undefined) return;
  const added = Number(item['budget']) - Number(was['budget']);
  if (added === 0 && JSON.stringify(was['keys']) === JSON.stringify(item['keys'])) return;
  const name = `${id} ${key}`;
  if (court.poolKeys.has(name)) court.fail('13 keys', id, `the pool was raised twice under ${key}`);
  court.poolKeys.set(name, added);
}

export function itemWritten(
  { jobs, fail }: Court,
  id: string,
  sk: string,
  before: Item | undefined,
  after: Item,
): void {
  const at = Number(sk.slice('MSG#'.length));
  const head = jobs.get(id)?.head;
  if (head === undefined || at > head.count || before === undefined) return;
  // A deletion leaves nothing of it.
  if (head.raw['dd'] === true && after['user'] === undefined) return;
  if (before['user'] !== after['user'] || before['reply'] !== after['reply'])
    fail('5 transcript', id, `committed item ${at} was overwritten`);
}
