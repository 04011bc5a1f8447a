import { type Arrived, type Batch, rowsOf } from '../core/batch.ts';
import type { Row } from '../core/batch-format.ts';
import { RetryableError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import { stableJson } from '../core/stable-json.ts';
import { checkRow, type NewRow, type RefusedRow } from './check-row.ts';
import type { Chunk } from './store.ts';
import type { World } from './world.ts';

/** Names of rows that a process remembers, some 10 MB: room for the longest batch. */
const MAX_NAMES = 200_000;
/** Names that a chunk weighs whatever it holds. */
const FRAME = 10;
/** Chunks that are read at once beyond those that a head lists. */
const AHEAD = 25;

/** The key of a row: the same for the same id, whoever adds it and whatever it holds. */
export function rowKeyOf(world: World, batchId: string, rowId: string): string {
  return world.ids.hash(`${batchId}\n${rowId}`).slice(0, 16);
}

/** The id of a row's job: the same whoever makes it, so that a second write meets the first. */
export function rowJobId(world: World, batch: Pick<Batch, 'id' | 'tenant'>, rowKey: string): string {
  return `job_${world.ids.hash(`${batch.tenant}\n${batch.id}\n${rowKey}`)}`;
}

/** A row as it is stored, under its name: its key and a hash of what it holds. The chunk that names it says which counts. */
export function namedRow(world: World, batchId: string, row: NewRow): readonly [string, Row] {
  const stored: Row = {
    v: 1,
    key: rowKeyOf(world, batchId, row.id),
    id: row.id,
    line: row.line,
    input: row.input,
    metadata: JSON.stringify(row.metadata),
    ...(row.output === undefined ? {} : { output: JSON.stringify(row.output) }),
  };
  return [`${stored.key}.${world.ids.hash(stableJson(stored)).slice(0, 8)}`, stored];
}

/** The rows of a call: those that are taken, by their names, the first of each id; and those that are not. */
export interface PartedRows {
  readonly taken: ReadonlyMap<string, Row>;
  readonly refused: readonly RefusedRow[];
  /** By these the same refused row counts once, however often it comes. */
  readonly refusedKeys: ReadonlySet<string>;
}

/** The rows of a call as it gives them. */
export interface GivenRows {
  /** As they came: each is checked, and one that is not as it must be is refused alone. */
  readonly rows: readonly unknown[];
  /** Rows that the caller has read out of a file and checked: these may have a line and an output. */
  readonly read?: readonly NewRow[];
  /** Rows that the caller could not even read. */
  readonly refused?: readonly RefusedRow[];
}

/** Checks every row that is not known to be right. */
export function partRows(world: World, batchId: string, given: GivenRows): PartedRows {
  const { rows, read = [], refused = [] } = given;
  const taken = new Map<string, Row>();
  const out = [...refused];
  const keys = new Set<string>();
  const refusedKeys = new Set(refused.map(({ id, reason }) => rowKeyOf(world, batchId, id || reason)));
  const take = (row: NewRow): void => {
    const [name, stored] = namedRow(world, batchId, row);
    if (keys.has(stored.key)) return;
    keys.add(stored.key);
    taken.set(name, stored);
  };
  for (const row of read) take(row);
  for (const [at, one] of rows.entries()) {
    const row = checkRow(one);
    if (!('reason' in row)) {
      take(row);
      continue;
    }
    out.push(row.id === '' ? { ...row, reason: `row ${at + 1}: ${row.reason}` } : row);
    refusedKeys.add(rowKeyOf(world, batchId, row.id || stableJson(one)));
  }
  return { taken, refused: out, refusedKeys };
}

/** The key in the name of a row. */
export function keyIn(name: string): string {
  const [key = ''] = name.split('.');
  return key;
}

/** Chunks by their numbers, from the process's memory or from the table in one read. */
export async function chunksAt(
  world: World,
  batchId: string,
  ns: readonly number[],
): Promise<ReadonlyMap<number, Chunk>> {
  const found = new Map<number, Chunk>();
  const unknown: number[] = [];
  for (const n of ns) {
    const known = world.chunks.get(`${batchId} ${n}`);
    if (known === undefined) unknown.push(n);
    else found.set(n, known);
  }
  for (const [n, chunk] of unknown.length === 0 ? [] : await world.store.readChunks(batchId, unknown)) {
    found.set(n, chunk);
    world.chunks.set(`${batchId} ${n}`, chunk);
  }
  if (unknown.length > 0) forgetOldest(world.chunks);
  return found;
}

const weightOf = ({ names, refused }: Chunk): number => FRAME + names.length + refused.length;

function forgetOldest(known: Map<string, Chunk>): void {
  let weight = 0;
  for (const chunk of known.values()) weight += weightOf(chunk);
  for (const [name, chunk] of known) {
    if (weight <= MAX_NAMES) return;
    known.delete(name);
    weight -= weightOf(chunk);
  }
}

/** The chunks that have been put and that the head does not list yet, in order; at most `most`. */
export async function arrivedChunks(
  world: World,
  batch: Batch,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly Chunk[]> {
  const arrived: Chunk[] = [];
  // One at first: mostly there is none.
  for (let size = 1; arrived.length < most; size = AHEAD) {
    const first = batch.chunks.length + arrived.length + 1;
    const ns = Array.from({ length: size }, (_, at) => first + at);
    const found = await chunksAt(world, batch.id, ns);
    for (const n of ns) {
      const chunk = found.get(n);
      if (chunk === undefined) return arrived;
      arrived.push(chunk);
    }
  }
  return arrived.slice(0, most);
}

export const arrivalOf = ({ names, refused }: Chunk): Arrived => ({
  rows: names.length,
  refused: refused.length,
});

/** The names of rows by their places in the batch, by way of the chunks that hold them. */
export async function rowNamesAt(
  world: World,
  batch: Batch,
  ordinals: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const starts: number[] = [];
  let rows = 0;
  for (const size of batch.chunks) {
    starts.push(rows);
    rows += size;
  }
  const places = ordinals.map((ordinal) => ({ ordinal, at: chunkOf(starts, ordinal) }));
  const chunks = await chunksAt(world, batch.id, [...new Set(places.map(({ at }) => at + 1))]);
  return new Map(
    places.map(({ ordinal, at }) => {
      const name = chunks.get(at + 1)?.names[ordinal - (starts[at] ?? 0)];
      if (name === undefined)
        throw new RetryableError('no_such_row', `batch ${batch.id}: row ${ordinal} is in no chunk`);
      return [ordinal, name];
    }),
  );
}

/** The last chunk that begins at or before a place; an empty one begins where the next one does. */
function chunkOf(starts: readonly number[], ordinal: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= ordinal) low = middle;
    else high = middle;
  }
  return low;
}

/** The key of the row at a place in the batch. */
export async function rowKeyAt(world: World, batch: Batch, ordinal: number): Promise<string> {
  const names = await rowNamesAt(world, batch, [ordinal]);
  return keyIn(names.get(ordinal) ?? '');
}

/** Rows by their places in the batch. Throws `RetryableError` `no_such_row` when one is not there. */
export async function rowsAt(
  world: World,
  batch: Batch,
  ordinals: readonly number[],
): Promise<ReadonlyMap<number, Row>> {
  const names = await rowNamesAt(world, batch, ordinals);
  const rows = await world.store.readRows(batch.id, [...names.values()]);
  return new Map(
    [...names].map(([ordinal, name]) => {
      const row = rows.get(name);
      if (row === undefined)
        throw new RetryableError('no_such_row', `batch ${batch.id}: row ${name} is not there`);
      return [ordinal, row];
    }),
  );
}

/** The place of a row in its batch, by its key. */
export async function ordinalOf(world: World, batch: Batch, rowKey: string): Promise<number | undefined> {
  const ns = batch.chunks.map((_, at) => at + 1);
  const chunks = await chunksAt(world, batch.id, ns);
  let first = 0;
  for (const n of ns) {
    const names = chunks.get(n)?.names ?? [];
    const at = names.findIndex((name) => keyIn(name) === rowKey);
    if (at >= 0) return first + at;
    first += names.length;
  }
  return undefined;
}

/** The ids of the jobs of rows by their places in the batch. */
export async function jobIdsAt(
  world: World,
  batch: Batch,
  ordinals: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const names = await rowNamesAt(world, batch, ordinals);
  return new Map([...names].map(([ordinal, name]) => [ordinal, rowJobId(world, batch, keyIn(name))]));
}

/** The jobs of a batch's open rows, as they stand, by the places of their rows; none for one that is still to be made. */
export async function openJobs(world: World, batch: Batch): Promise<ReadonlyMap<number, Job>> {
  const ids = await jobIdsAt(
    world,
    batch,
    batch.open.map(({ ordinal }) => ordinal),
  );
  const jobs = await world.store.loadJobs([...ids.values()]);
  return new Map(
    [...ids].flatMap(([ordinal, id]): readonly (readonly [number, Job])[] => {
      const job = jobs.get(id);
      return job === undefined ? [] : [[ordinal, job]];
    }),
  );
}

/** How many rows the head lists, refused ones among them. */
export function heldRows(batch: Batch): number {
  return rowsOf(batch) + batch.rejected;
}
