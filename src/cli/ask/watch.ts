import { regionOf } from '../../adapters/signed-fetch.ts';
import { ApiError, type Batch, type Job } from '../../client.ts';
import { printedJson } from '../../core/printed.ts';
import { exitCode } from '../exit-codes.ts';
import { hint } from '../hint.ts';
import type { Asking } from './asking.ts';
import { createRest } from './at-rest.ts';
import { batchPicture, batchText } from './batch-picture.ts';
import { type Board, createBoard } from './board.ts';
import { waitingCommands } from './decide.ts';
import { codeOfBatch, codeOfJob } from './ends.ts';
import { extendCommand } from './extend-job.ts';
import { jobPicture } from './job-picture.ts';
import { jobLine, visible } from './shown.ts';

/** A local API may be asked more often than one that is billed by the request. */
const LOCAL_POLL_MS = 250;
const REMOTE_POLL_MS = 2_000;

export const pollMs = (endpoint: string): number =>
  regionOf(endpoint) === undefined ? LOCAL_POLL_MS : REMOTE_POLL_MS;

/** Shows how a job or a batch goes on until it has ended or waits for a person. The exit code says how. */
export async function watch(asking: Asking, id: string): Promise<number> {
  const board = createBoard(asking.terminal, asking.clock.now);
  try {
    const end = await follow(asking, id, board);
    board.end();
    if (end === undefined) return interrupted(asking, id);
    return end.type === 'job' ? tellJob(asking, end.job) : await tellBatch(asking, end.batch);
  } finally {
    board.end();
  }
}

function interrupted({ terminal }: Asking, id: string): number {
  terminal.err(`${id} goes on without being watched.\n`);
  return exitCode.interrupted;
}

type End = { readonly type: 'job'; readonly job: Job } | { readonly type: 'batch'; readonly batch: Batch };

/** Undefined when it was interrupted. */
async function follow(asking: Asking, id: string, board: Board): Promise<End | undefined> {
  if (id.startsWith('batch_')) {
    const batch = await followBatch(asking, id, board);
    return batch && { type: 'batch', batch };
  }
  const job = await followJob(asking, id, board);
  return job && { type: 'job', job };
}

async function followJob(asking: Asking, id: string, board: Board): Promise<Job | undefined> {
  const { client, clock, signal, endpoint } = asking;
  while (!signal.aborted) {
    const job = await uninterrupted(asking, () => client.job(id));
    if (job === undefined) return undefined;
    if (job.finishedAt !== null || job.status === 'awaiting_approval') return job;
    board.show(jobPicture(job, clock.now()));
    await clock.sleep(pollMs(endpoint), signal);
  }
  return undefined;
}

/** Until the batch has ended, or nothing more happens in it without a person; undefined when it was interrupted. */
export async function followBatch(asking: Asking, id: string, board: Board): Promise<Batch | undefined> {
  const { client, clock, signal, endpoint } = asking;
  const atRest = createRest(clock.now);
  while (!signal.aborted) {
    const batch = await uninterrupted(asking, () => client.batch(id));
    if (batch === undefined) return undefined;
    if (atRest(batch)) return batch;
    board.show(batchPicture(batch, clock.now()));
    await clock.sleep(pollMs(endpoint), signal);
  }
  return undefined;
}

async function uninterrupted<T>({ signal }: Asking, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (signal.aborted && !(error instanceof ApiError)) return undefined;
    throw error;
  }
}

function tellJob({ terminal, json, endpoint }: Asking, job: Job): number {
  if (json) {
    terminal.out(`${printedJson(job)}\n`);
    return codeOfJob(job);
  }
  terminal.out(jobLine(job, terminal.color));
  if (job.stop !== null) terminal.out(`${visible(job.stop.message)}\n`);
  if (job.stop?.resumable === true) terminal.err(`${extendCommand(job, endpoint)} lets it go on.\n`);
  if (job.status === 'awaiting_approval') terminal.err(waitingCommands(job, endpoint));
  return codeOfJob(job);
}

async function tellBatch({ client, terminal, json, endpoint }: Asking, batch: Batch): Promise<number> {
  terminal.out(json ? `${printedJson(batch)}\n` : batchText(batch, terminal));
  if (!json && batch.counts.awaiting_approval > 0) {
    terminal.err(`${hint('approvals', endpoint)} lists the calls that wait for a person.\n`);
  }
  return codeOfBatch(client, batch);
}
