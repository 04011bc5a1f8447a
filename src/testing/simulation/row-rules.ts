import type { Item } from '../../ports.ts';
import type { Court } from './court.ts';
import type { JobWatch } from './job-watch.ts';
import { type BatchSeen, hasEnded } from './records.ts';
import type { Violation } from './referee.ts';

type Problem = Pick<Violation, 'invariant' | 'what'>;

const progress = (what: string): Problem => ({ invariant: '4 progress', what });

const namesIn = (chunk: Item | undefined): readonly string[] =>
  String(chunk?.['keys'] ?? '')
    .split(' ')
    .filter((name) => name !== '');

/** The keys of a batch's rows in the order of the chunks that its head lists. */
function keysOf(court: Court, id: string, { chunks }: BatchSeen): readonly (readonly string[])[] {
  return chunks.map((_, at) =>
    namesIn(court.chunkAt(id, at + 1)).map((name) => name.slice(0, name.indexOf('.'))),
  );
}

/** Every row that a caller was told is taken is there, once, and came to its end unless the batch has stopped. */
export function rowsProblem(court: Court, id: string, batch: BatchSeen): Problem | undefined {
  const chunks = keysOf(court, id, batch);
  const wrong = chunks.findIndex((keys, at) => keys.length !== batch.chunks[at]);
  if (wrong >= 0)
    return progress(
      `chunk ${wrong + 1} names ${chunks[wrong]?.length} rows, the head lists ${batch.chunks[wrong]}`,
    );
  const keys = chunks.flat();
  if (new Set(keys).size !== keys.length) return progress('one row stands in it twice');
  const lost = [...(court.rowsTaken.get(id) ?? [])].find((key) => !keys.includes(key));
  if (lost !== undefined) return progress(`row ${lost} was taken and is lost`);
  const jobs = [...court.jobs.values()].filter((job) => job.batchId === id && job.head !== undefined);
  if (batch.status === 'cancelled') return undefined;
  if (batch.status !== 'paused' && batch.cursor < keys.length)
    return progress(`${keys.length - batch.cursor} rows are queued, and the batch is ${batch.status}`);
  return jobs.length === batch.cursor
    ? undefined
    : progress(`${batch.cursor} rows are admitted, ${jobs.length} have a job`);
}

/** What the rows of a batch have come to adds up, as its head counts it. */
export function countsProblem(court: Court, id: string, batch: BatchSeen): Problem | undefined {
  const rows = batch.counted + batch.open + (batch.rows - batch.cursor);
  if (rows !== batch.rows) return progress(`${rows} of ${batch.rows} rows are accounted for`);
  if (batch.open > 0) return undefined;
  const jobs = [...court.jobs.values()].filter((job) => job.batchId === id && job.head !== undefined);
  const kinds = { succeeded: 's', stopped: 'p', failed: 'f', cancelled: 'c' };
  for (const [kind, state] of Object.entries(kinds)) {
    const ended = jobs.filter(({ head }) => head?.state === state).length;
    const never = kind === 'cancelled' && batch.status === 'cancelled' ? batch.rows - jobs.length : 0;
    if (batch.counts[kind] !== ended + never)
      return progress(`${batch.counts[kind]} rows ${kind}, ${ended + never} are`);
  }
  const spent = jobs.reduce((sum, { head }) => sum + (head?.charged ?? 0), 0);
  return spent === batch.spent
    ? undefined
    : { invariant: '1 money', what: `${batch.spent} booked, its jobs are charged ${spent}` };
}

/** What a deletion must not leave behind of a job: anything that its owner or the model wrote. */
export function remainsProblem(court: Court, { id, head, deleted }: JobWatch): Problem | undefined {
  if (head?.raw['dd'] !== true)
    return deleted
      ? { invariant: '6 final is final', what: 'a deletion was answered and not made' }
      : undefined;
  if (!hasEnded(head)) return { invariant: '6 final is final', what: 'a deleted job is live' };
  for (const item of court.query(`JOB#${id}`, '', '~')) {
    const sk = String(item['sk']);
    if (sk === 'JOB' || sk.startsWith('NOTE#')) continue;
    // That a call was begun stays, or a sleeper could begin it again.
    if (sk.startsWith('CALL#') && item['text'] === '') continue;
    const info = JSON.parse(String(item['info'] ?? 'null')) as Readonly<Record<string, unknown>> | null;
    const bare = info !== null && info['metadata'] === '{}' && !('output' in info) && !('webhook' in info);
    if (sk !== 'MSG#000001' || item['user'] !== undefined || !bare)
      return { invariant: '6 final is final', what: `${sk} of a deleted job is still there` };
    const { batchId, rowKey } = info;
    if (typeof batchId !== 'string') continue;
    const row = `ROW#${String(rowKey)}`;
    for (const { input } of court.query(`BATCH#${batchId}`, row, `${row}~`))
      if (input !== '')
        return { invariant: '6 final is final', what: 'the row of a deleted job keeps its input' };
  }
  return undefined;
}
