import { systemIds } from '../adapters/system.ts';
import type { Batch } from '../client.ts';
import { MAX_ROWS } from '../core/batch.ts';
import { TerminalError } from '../core/errors.ts';
import { oneLine } from '../tickets/padded.ts';
import { poolUsd } from './announce.ts';
import type { Asking } from './ask/asking.ts';
import type { DeployedAgent } from './ask/deployed-agent.ts';
import { itemsOf } from './ask/pages.ts';
import { limitsOf } from './ask/submit.ts';
import { carriedOnText, unfinishedRun } from './begin-batch.ts';
import { batchIfThere, findRun } from './gone-batch.ts';
import type { Input } from './read-input.ts';
import type { RowSpool } from './row-spool.ts';
import type { RemoteRun, RunMemory } from './run-memory.ts';
import { sendRows } from './send-rows.ts';
import type { TriageOptions } from './triage.ts';

/** All that one run of `triage` on a deployment works with. */
export interface RemoteWork {
  readonly options: TriageOptions;
  readonly asking: Asking;
  readonly agent: DeployedAgent;
  /** Of each job, in US dollars. */
  readonly ceilingUsd: number;
  readonly input: Input;
  readonly rows: RowSpool;
  readonly model: { readonly scripted: boolean; readonly live: boolean; readonly name: string };
  readonly dataPath: string;
  readonly memory: RunMemory;
}

export interface BegunRemote {
  readonly run: RemoteRun;
  readonly batch: Batch;
  /** It was over before. */
  readonly again: boolean;
  /** Replies that its jobs had before this command went on with it. */
  readonly repliesBefore: number;
}

/** Makes the batch of this run, or finds it again, and sends what it lacks. `begun` is told of it as soon as it is there. */
export async function beginRemote(work: RemoteWork, begun: (batchId: string) => void): Promise<BegunRemote> {
  const { asking, options, agent, memory } = work;
  const { client } = asking;
  const known = await remembered(work);
  // Before it is asked for, so that whoever is killed in between asks for the same batch again.
  await memory.save(known);
  const limits = limitsOf(given(options));
  const body = { agent: agent.name, budgetUsd: known.budgetUsd, open: true, rows: [] };
  const batch = await client.submitBatch(limits === undefined ? body : { ...body, limits }, {
    idempotencyKey: known.key,
  });
  const run = { ...known, batchId: batch.id };
  await memory.save(run);
  begun(batch.id);
  const again = batch.status === 'done' || batch.status === 'cancelled';
  if (again) return { run, batch, again, repliesBefore: 0 };
  const repliesBefore = known.batchId === null ? 0 : await carriedOn(work, batch);
  const closed = await filled(work, run);
  return { run: closed, batch: await extended(work, batch), again, repliesBefore };
}

/** Says that an earlier command began the batch, and counts the replies that it has already. */
async function carriedOn({ asking, options, input }: RemoteWork, batch: Batch): Promise<number> {
  const { succeeded, stopped, failed, cancelled } = batch.counts;
  const ended = succeeded + stopped + failed + cancelled;
  if (!options.quiet) asking.terminal.err(carriedOnText(ended, input.tally.accepted));
  let replies = 0;
  for await (const { steps } of itemsOf((page) => asking.client.jobs({ batch: batch.id, ...page })))
    replies += steps;
  return replies;
}

/** Options that are not given are no limits. */
const given = ({ maxCostUsd, maxSteps }: TriageOptions) => ({
  ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  ...(maxSteps === undefined ? {} : { maxSteps }),
});

/** The run of the same tickets, agent and limits, or a new one. Refused while another one of this folder is not over. */
async function remembered(work: RemoteWork): Promise<RemoteRun> {
  const { options, asking, agent, input, memory } = work;
  const { endpoint } = asking;
  const { accepted } = input.tally;
  if (accepted > MAX_ROWS) {
    const why = `a batch of a deployment takes ${MAX_ROWS} tickets, these files have ${accepted}`;
    throw new TerminalError('too_many_rows', `${why}: give them in parts, each with an --out of its own`);
  }
  const printAt = (place: string): string =>
    systemIds.hash(JSON.stringify([place, agent.name, given(options), accepted, input.digest]));
  const print = printAt(endpoint);
  const before = memory.runs().find((run) => run.print === print && !isOutdated(run, agent));
  for (const run of memory.runs()) {
    if (run === before || !(await isUnderWay(run, asking))) continue;
    throw run.print === printAt(run.endpoint) ? runElsewhere(work, run) : unfinishedRun(work.dataPath);
  }
  if (before !== undefined) return findRun(before, asking);
  const fresh = { key: systemIds.token() + systemIds.token(), batchId: null, sent: false, finished: false };
  return { ...fresh, print, endpoint, agentVersion: agent.version, budgetUsd: poolUsd(work) };
}

/** The same tickets under another address, which may be the same deployment: its batch would be paid for twice. */
function runElsewhere({ dataPath, options }: RemoteWork, { endpoint }: RemoteRun): TerminalError {
  return new TerminalError(
    'unfinished_run',
    `${dataPath} holds an unfinished run of these tickets on ${endpoint}: --endpoint ${endpoint} carries it on; ` +
      `to run them on ${options.endpoint} as well name another folder with --data or --out, or give it up with --fresh`,
  );
}

/** What was begun is finished by the agent that began it; what is finished is not what another version would say. */
const isOutdated = (run: RemoteRun, { version }: DeployedAgent): boolean =>
  run.finished && run.agentVersion !== version;

async function isUnderWay(run: RemoteRun, asking: Asking): Promise<boolean> {
  if (run.finished || run.batchId === null) return false;
  // What another deployment does is not known here.
  if (run.endpoint !== asking.endpoint) return true;
  return (await batchIfThere(asking, run.batchId))?.finishedAt === null;
}

/** Sends the rows and closes the batch, unless both were done before. */
async function filled(work: RemoteWork, run: RemoteRun): Promise<RemoteRun> {
  const { asking, options, input, rows, memory } = work;
  if (run.sent || run.batchId === null) return run;
  const sending = { asking, rows, count: input.tally.accepted, quiet: options.quiet };
  const [first, ...more] = await sendRows(sending, run.batchId);
  await asking.client.closeBatch(run.batchId);
  if (first !== undefined) {
    const count = more.length === 0 ? 'one ticket' : `${more.length + 1} tickets`;
    asking.terminal.err(`Warning: ${asking.endpoint} does not take ${count}: ${oneLine(first.reason)}.\n`);
  }
  const sent = { ...run, sent: true };
  await memory.save(sent);
  return sent;
}

/** A budget above the one that the batch has raises it. */
async function extended(work: RemoteWork, batch: Batch): Promise<Batch> {
  const more = Math.round((poolUsd(work) - (batch.cost.budgetUsd ?? 0)) * 1e6) / 1e6;
  return more > 0 ? work.asking.client.extendBatch(batch.id, more) : batch;
}
