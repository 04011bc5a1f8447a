import {
  type Admission,
  absorb,
  admit,
  type Batch,
  decideBatch,
  evolveBatch,
  isTurning,
  type Observation,
  type OpenRow,
  poolLeft,
  type RowEnd,
  rowsOf,
} from '../core/batch.ts';
import type { Row } from '../core/batch-format.ts';
import { RetryableError } from '../core/errors.ts';
import { evolve } from '../core/evolve.ts';
import { isEnded, type Job } from '../core/job.ts';
import { charged } from '../core/ledger.ts';
import { firstBound, leastCost } from '../core/quote.ts';
import { apiCommit, jobHeads } from './api-commit.ts';
import { arrivalOf, arrivedChunks, openJobs, rowJobId, rowsAt } from './batch-rows.ts';
import { shareOf } from './batch-share.ts';
import { cancel } from './cancel.ts';
import { isStopped } from './control.ts';
import { admissionFromDay } from './day-pool.ts';
import type { Delivery, Handled } from './delivery.ts';
import { inTurns } from './in-turns.ts';
import { isBatchTold, noteBatch, noteNow } from './notices.ts';
import { sendBatchTurn } from './send.ts';
import { agentOf, createJob, freezeAgent } from './submit.ts';
import type { World } from './world.ts';

export { rowJobId, rowKeyAt } from './batch-rows.ts';

export interface BatchMessage {
  readonly batchId: string;
  readonly turn: number;
}

/** How long an extension that was granted may take to reach its job, in milliseconds. */
const GRANT_MS = 60_000;
const AT_ONCE = 20;
const MAX_TRIES = 4;
/** Chunks of added rows that one turn takes in. */
const MAX_ARRIVED = 100;

/**
 * Handles one message of a batch: observes the open rows, decides how many more the pool admits, commits that, and only
 * then creates their jobs. Created before the commit, a crash followed by a cancel would leave jobs the batch does not know.
 */
export async function batchTurn(world: World, message: BatchMessage, delivery: Delivery): Promise<Handled> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const batch = await world.store.loadBatch(message.batchId);
    const decision = decideBatch(batch, { turn: message.turn, id: delivery.id }, world.clock.now());
    if (batch === undefined || decision.type === 'done' || (await isStopped(world, batch.tenant)))
      return 'done';
    switch (decision.type) {
      case 'leave':
        return 'retry';
      case 'send':
        await sendBatchTurn(world, batch, decision.delaySeconds);
        return 'done';
      case 'turn': {
        const after = await takeTurn(world, batch, delivery);
        if (after === 'overtaken') continue;
        if (after !== undefined && isTurning(after)) await sendBatchTurn(world, after);
        else if (after !== undefined) await noteNow(world, noteBatch(world, after));
        return 'done';
      }
      default:
        return decision satisfies never;
    }
  }
  return 'retry';
}

/** Undefined when another delivery made this turn; `overtaken` when an API write came between. */
async function takeTurn(
  world: World,
  batch: Batch,
  delivery: Delivery,
): Promise<Batch | undefined | 'overtaken'> {
  const arrived = batch.accepting ? (await arrivedChunks(world, batch, MAX_ARRIVED)).map(arrivalOf) : [];
  const observed = await observe(world, batch);
  const seen = batchAfter(absorb(batch, arrived), observed);
  const least = await leastOfNext(world, seen);
  const wanted = admit(seen, observed.waiting, least, await shareOf(world, seen));
  const { admission, day, untilMs } = await payToday(world, seen, wanted);
  const by = world.ids.token();
  const next = {
    ...evolveBatch(batch, {
      type: 'turned',
      nowMs: world.clock.now(),
      msg: delivery.id,
      observed,
      admission,
      told: isBatchTold(world, batch),
      arrived,
      untilMs,
    }),
    by,
  };
  const committed = await commitTurn(world, next);
  if (committed === undefined || committed === 'overtaken') return committed;
  const added = next.open.filter((row) => row.ordinal >= batch.cursor);
  await inTurns(added, AT_ONCE, (row) => createRow(world, next, row, admission.cut, day));
  return committed;
}

interface Paid {
  readonly admission: Admission;
  /** Undefined where the tenant has no pool of a day. */
  readonly day: number | undefined;
  /** When there is money again for rows that had to stay behind. */
  readonly untilMs: number | undefined;
}

/** What of an admission the tenant's pool of today pays for: the first rows, each with its whole ceiling. */
async function payToday(world: World, batch: Batch, admission: Admission): Promise<Paid> {
  const wanted = admission.ceilings.reduce((sum, ceiling) => sum + ceiling, 0);
  const granted = wanted === 0 ? undefined : await admissionFromDay(world, batch, wanted);
  if (granted?.untilMs === undefined) return { admission, day: granted?.day, untilMs: undefined };
  let left = granted.amount;
  const ceilings = admission.ceilings.filter((ceiling) => {
    left -= ceiling;
    return left >= 0;
  });
  return { admission: { ...admission, ceilings }, day: granted.day, untilMs: granted.untilMs };
}

/** The batch as the admission sees it: what has just ended holds nothing any more. */
function batchAfter(batch: Batch, observed: Observation): Batch {
  const spent = [...observed.ended.values()].reduce((sum, outcome) => sum + outcome.cost, batch.spent);
  return { ...batch, spent, open: batch.open.filter((row) => !observed.ended.has(row.ordinal)) };
}

/** One try, and a look for our mark: whoever committed this turn sends the next. */
async function commitTurn(world: World, next: Batch): Promise<Batch | undefined | 'overtaken'> {
  try {
    if ((await world.store.commitBatch(next)) === 'committed') return next;
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
  }
  const stored = await world.store.loadBatch(next.id);
  if (stored?.by === next.by) return stored;
  if (stored?.version === next.version - 1) {
    throw new RetryableError(
      'commit_unanswered',
      `batch ${next.id}: the commit of turn ${next.turn} got no answer`,
    );
  }
  if (stored !== undefined && stored.turn < next.turn) return 'overtaken';
  return undefined;
}

/** Looks at every open row: creates what an earlier turn admitted and is missing, and books what has ended. */
async function observe(world: World, batch: Batch): Promise<Observation> {
  const jobs = await openJobs(world, batch);
  const ended = new Map<number, RowEnd>();
  let waiting = 0;
  await inTurns(batch.open, AT_ONCE, async (row) => {
    const job = jobs.get(row.ordinal);
    if (job === undefined) {
      await createRow(world, batch, row, row.ceiling < batch.ceiling);
    } else if (isEnded(job)) {
      if (await grantOpen(world, job, row)) return;
      ended.set(row.ordinal, { status: job.status.type, cost: charged(job.ledger) });
    } else if (batch.cancelRequested) {
      await cancel(world, batch.tenant, job.id);
    } else if (job.status.type === 'awaiting_approval') {
      waiting += 1;
    }
  });
  return { ended, waiting };
}

/**
 * Whether money was granted to this ended job and the extension has not reached it yet. One that is overdue is made
 * impossible first, by raising the job's version: an extension that comes later has to ask the pool again.
 */
async function grantOpen(world: World, job: Job, row: OpenRow): Promise<boolean> {
  if (row.grant === 0 || job.version !== row.grant) return false;
  const nowMs = world.clock.now();
  if (nowMs < job.updatedAtMs + GRANT_MS) return true;
  await apiCommit(world, jobHeads(world), job.id, (fresh) =>
    fresh !== undefined && fresh.version === row.grant
      ? { change: evolve(fresh, { type: 'due_moved', nowMs, dueAtMs: fresh.dueAtMs }) }
      : { answer: 'moved on' },
  );
  return true;
}

async function rowAt(world: World, batch: Batch, ordinal: number): Promise<Row> {
  const row = (await rowsAt(world, batch, [ordinal])).get(ordinal);
  if (row === undefined) throw new RetryableError('no_such_row', `batch ${batch.id}: row ${ordinal}`);
  return row;
}

/** `day` is the one whose pool paid for the row; a row of an earlier turn does not know it, and then gives nothing back. */
async function createRow(
  world: World,
  batch: Batch,
  open: OpenRow,
  poolCut: boolean,
  day = 0,
): Promise<void> {
  const row = await rowAt(world, batch, open.ordinal);
  await createJob(world, {
    jobId: rowJobId(world, batch, row.key),
    tenant: batch.tenant,
    agent: agentOf(world, batch.agent),
    input: row.input,
    metadata: row.metadata,
    limits: batch.limits,
    ceilingMicroUsd: open.ceiling,
    poolCut,
    bodyHash: row.key,
    batch: { batchId: batch.id, rowKey: row.key, rowId: row.id },
    ...(row.output === undefined ? {} : { output: row.output }),
    dayTake: { day, amount: open.ceiling },
    cancelled: batch.cancelRequested,
  });
}

/** What the smallest first call of the next row may cost: only asked where no whole ceiling fits. */
async function leastOfNext(world: World, batch: Batch): Promise<number> {
  if (batch.cursor >= rowsOf(batch) || poolLeft(batch) >= batch.ceiling) return 0;
  const agent = agentOf(world, batch.agent);
  const price = world.prices[agent.model];
  const { frozen } = await freezeAgent(world, agent);
  const row = await rowAt(world, batch, batch.cursor);
  if (price === undefined || row.output !== undefined) return 0;
  const message = { role: 'user', content: [{ type: 'text', text: row.input }] } as const;
  return leastCost(price, firstBound(frozen.system, frozen.tools, [message]));
}
