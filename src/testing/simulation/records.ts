import type { Item } from '../../ports.ts';

/**
 * The referee's own reading of stored records: it shares no code with the system it judges, so that a fault in a codec
 * cannot hide behind itself. Names are those of the stored head.
 */
export interface HeadSeen {
  readonly state: string;
  readonly stop: string;
  readonly version: number;
  readonly turn: number;
  readonly fence: number;
  readonly count: number;
  readonly steps: number;
  readonly maxSteps: number;
  readonly tokens: number;
  readonly maxTokens: number;
  readonly failures: number;
  readonly maxFailures: number;
  readonly seconds: number;
  readonly owner: string;
  readonly ceiling: number;
  readonly settled: number;
  readonly reserved: number;
  readonly unsettled: number;
  readonly charged: number;
  readonly dueMs: number;
  readonly notBeforeMs: number;
  readonly deadlineMs: number;
  readonly updatedMs: number;
  readonly needsReview: boolean;
  readonly pending: PendingSeen | undefined;
  readonly tenant: string;
  readonly agent: string;
  readonly raw: Item;
}

export interface PendingSeen {
  readonly item: number;
  readonly born: number;
  readonly states: string;
  readonly sinceMs: number;
  readonly expiresMs: number;
  readonly decidedMs: number;
}

/** What the listing index's partition of a tenant's jobs begins with. */
const JOBS_OF = 'J#';
const BATCHES_OF = 'B#';

const number = (value: unknown): number => (value === undefined ? 0 : Number(value));
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const sumOf = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + number(value), 0);

export function readHead(item: Item): HeadSeen {
  const [ceiling, settled, reserved, unsettled] = list(item['le']).map(number);
  const [maxSteps, maxTokens, maxFailures, seconds] = list(item['li']).map(number);
  const lease = list(item['ls']);
  const pending = item['pe'] === undefined ? undefined : list(item['pe']);
  return {
    state: String(item['st']),
    stop: String(list(item['sp'])[0] ?? ''),
    version: number(item['ve']),
    turn: number(item['tu']),
    fence: number(item['fe']),
    count: number(item['ct']),
    steps: number(item['sn']),
    maxSteps: maxSteps ?? 0,
    tokens: sumOf(list(item['us'])),
    maxTokens: maxTokens ?? 0,
    failures: number(item['fa']),
    maxFailures: maxFailures ?? 0,
    seconds: seconds ?? 0,
    owner: String(lease[1] ?? ''),
    ceiling: ceiling ?? 0,
    settled: settled ?? 0,
    reserved: reserved ?? 0,
    unsettled: unsettled ?? 0,
    charged: (settled ?? 0) + (reserved ?? 0) + (unsettled ?? 0),
    dueMs: number(item['du']),
    notBeforeMs: number(item['nb']),
    deadlineMs: number(item['dl']),
    updatedMs: number(item['ua']),
    needsReview: item['nr'] === true,
    pending: pending && {
      item: number(pending[0]),
      born: number(pending[1]),
      states: String(pending[2]),
      sinceMs: number(pending[3]),
      expiresMs: number(pending[4]),
      decidedMs: number(pending[5]),
    },
    tenant: String(item['lt']).slice(JOBS_OF.length),
    agent: String(item['ag']),
    raw: item,
  };
}

const endedStates = new Set(['s', 'p', 'f', 'c']);

export function hasEnded(head: HeadSeen): boolean {
  return endedStates.has(head.state);
}

export interface BatchSeen {
  readonly status: string;
  readonly budget: number;
  readonly spent: number;
  readonly held: number;
  readonly open: number;
  readonly cursor: number;
  readonly rows: number;
  /** How many rows each chunk names. */
  readonly chunks: readonly number[];
  readonly accepting: boolean;
  readonly tenant: string;
  readonly turn: number;
  readonly counted: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly concurrency: number;
  /** What one of its jobs may cost. */
  readonly ceiling: number;
  readonly cancelRequested: boolean;
  readonly dueMs: number;
}

export function readBatch(item: Item): BatchSeen {
  const open = list(item['open']).map(list);
  const counts = (item['counts'] ?? {}) as Readonly<Record<string, number>>;
  return {
    status: String(item['status']),
    budget: number(item['budget']),
    spent: number(item['spent']),
    held: open.reduce((sum, row) => sum + number(row[1]), 0),
    open: open.length,
    cursor: number(item['cursor']),
    rows: sumOf(list(item['chunks'])),
    chunks: list(item['chunks']).map(number),
    accepting: item['accepting'] === true,
    tenant: String(item['lt']).slice(BATCHES_OF.length),
    turn: number(item['turn']),
    counted: sumOf(Object.values(counts)),
    counts,
    concurrency: number(item['concurrency']),
    ceiling: number(item['ceiling']),
    cancelRequested: item['cancelRequested'] === true,
    dueMs: number(item['du']),
  };
}
