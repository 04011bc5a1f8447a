import * as z from 'zod';
import { TerminalError } from './errors.ts';
import { type Counted, type Job, type Status, uncounted } from './job.ts';

/** What the listing index's partition of a tenant's jobs begins with. */
export const JOBS_OF = 'J#';

/** The version of the head that this code writes. */
export const HEAD_VERSION = 2;

const whole = z.number().int();
const natural = whole.nonnegative();
const four = z.tuple([natural, natural, natural, natural]);

/**
 * A job's head as it is stored, under 1 KB so that a commit is one write unit: names of two letters, small groups as
 * lists, and what is empty, zero or false left out. `lt` and `lc` are the keys of the listing index, `ot` and `oc` of the
 * index of what is open, `du` of the due index.
 */
const headV2 = z.object({
  v: z.literal(2),
  lt: z.string(),
  lc: natural,
  ag: z.string(),
  ba: z.string().default(''),
  wh: z.boolean().default(false),
  st: z.enum(['q', 'r', 'w', 's', 'p', 'f', 'c']),
  ls: z.tuple([natural, z.string(), z.string()]).optional(),
  sp: z.tuple([z.string(), z.string()]).optional(),
  tu: natural,
  ve: natural,
  fe: natural,
  by: z.string().default(''),
  ab: z.string().default(''),
  fr: z.string().default(''),
  cl: z.boolean().default(false),
  at: natural.default(0),
  wa: natural.default(0),
  nu: natural.default(0),
  nb: natural.default(0),
  du: natural.default(0),
  ct: natural,
  sn: natural.default(0),
  fa: natural.default(0),
  lr: z.enum(['ok', 'cut', 'bad']).default('ok'),
  ob: z.boolean().default(false),
  cr: z.boolean().default(false),
  pe: z.tuple([natural, natural, z.string(), natural, natural, natural]).optional(),
  le: z.tuple([natural, natural, natural, natural]),
  lo: z.array(natural).default([]),
  li: four,
  dl: natural,
  us: four,
  sv: whole.default(0),
  pb: natural,
  ta: natural.default(0),
  nr: z.boolean().default(false),
  pc: z.boolean().default(false),
  th: z.string(),
  co: z.tuple([natural, natural, natural, natural, natural]).optional(),
  dp: z.tuple([natural, natural, natural]).optional(),
  dd: z.boolean().default(false),
  ua: natural,
  ea: natural.default(0),
});
type Head = z.infer<typeof headV2>;

const versioned = z.object({ v: z.number() });

/** Each lift raises a record by one version. Never edit a published lift; add the next one. */
const lifts: Readonly<Record<number, (record: unknown) => unknown>> = {
  // The listing index held jobs and batches of a tenant under one key, and an ended job said when in `ua` alone.
  1: (record) => {
    const head = headV1.parse(record);
    const ended = ['s', 'p', 'f', 'c'].includes(head.st);
    return { ...head, v: 2, lt: `J#${head.lt}`, ...(ended ? { ea: head.ua } : {}) };
  },
};

const headV1 = z.looseObject({ lt: z.string(), st: z.string(), ua: natural });

/** Raises a stored record to the version of this code; refuses a newer one rather than guess. */
export function lift(
  record: unknown,
  what: string,
  version: number,
  table: Readonly<Record<number, (record: unknown) => unknown>>,
): unknown {
  // Nearly every record is of this version, and its schema checks that again.
  if ((record as { readonly v?: unknown } | null | undefined)?.v === version) return record;
  const { v } = versioned.parse(record);
  if (v > version) {
    throw new TerminalError('newer_record', `${what}: version ${v} stored, this code reads up to ${version}`);
  }
  let raised = record;
  for (let at = v; at < version; at += 1) raised = table[at]?.(raised);
  return raised;
}

const letters = {
  queued: 'q',
  running: 'r',
  awaiting_approval: 'w',
  succeeded: 's',
  stopped: 'p',
  failed: 'f',
  cancelled: 'c',
} as const;

/** What is empty, zero or false is left out of a record: undefined attributes are not stored. */
const unlessEmpty = <T>(value: T): T | undefined => value || undefined;

/** The record of a job's head: plain values, ready for any store. Always of one shape, which makes it cheap to copy. */
export function toHeadRecord(job: Job): Readonly<Record<string, unknown>> {
  const { status, pending, ledger, limits, usage } = job;
  return {
    v: HEAD_VERSION,
    lt: `${JOBS_OF}${job.tenant}`,
    lc: job.createdAtMs,
    ag: job.agent,
    ba: unlessEmpty(job.batchId),
    wh: unlessEmpty(job.webhook),
    st: letters[status.type],
    ls: 'lease' in status ? [status.lease.untilMs, status.lease.owner, status.lease.msg] : undefined,
    sp: 'stop' in status ? [status.stop.reason, status.stop.detail] : undefined,
    tu: job.turn,
    ve: job.version,
    fe: job.fence,
    by: unlessEmpty(job.by),
    ab: unlessEmpty(job.apiBy),
    fr: unlessEmpty(job.from),
    cl: unlessEmpty(job.claimed),
    at: unlessEmpty(job.attempts),
    wa: unlessEmpty(job.waits),
    nu: unlessEmpty(job.nudges),
    nb: unlessEmpty(job.notBeforeMs),
    du: unlessEmpty(job.dueAtMs),
    ct: job.count,
    sn: unlessEmpty(job.steps),
    fa: unlessEmpty(job.failures),
    lr: job.lastReply === 'ok' ? undefined : job.lastReply,
    ob: unlessEmpty(job.observed),
    cr: unlessEmpty(job.cancelRequested),
    pe: pending && [
      pending.item,
      pending.born,
      pending.states,
      pending.sinceMs,
      pending.expiresAtMs,
      pending.decidedAtMs,
    ],
    le: [ledger.ceiling, ledger.settled, ledger.reserved, ledger.unsettled],
    lo: job.lost.length === 0 ? undefined : job.lost,
    li: [limits.maxSteps, limits.maxTokens, limits.maxConsecutiveFailures, limits.timeoutSeconds],
    dl: job.deadlineMs,
    us: [usage.input, usage.output, usage.cacheWrite, usage.cacheRead],
    sv: unlessEmpty(job.savedByCacheMicroUsd),
    pb: job.promptBound,
    ta: unlessEmpty(job.textAt),
    nr: unlessEmpty(job.needsReview),
    pc: unlessEmpty(job.poolCut),
    th: job.transcriptHash,
    co: countedRecord(job.counted),
    dp: job.dayPool && [job.dayPool.day, job.dayPool.taken, job.dayPool.before],
    dd: unlessEmpty(job.deleted),
    ua: job.updatedAtMs,
    ea: unlessEmpty(job.endedAtMs),
  } satisfies Record<keyof Head, unknown>;
}

function statusOf(head: Head): Status {
  const [reason, detail] = head.sp ?? ['internal', 'no stop stored'];
  const stop = { reason, detail } as Extract<Status, { stop: unknown }>['stop'];
  switch (head.st) {
    case 'q':
      return { type: 'queued' };
    case 'r': {
      const [untilMs, owner, msg] = head.ls ?? [0, '', ''];
      return { type: 'running', lease: { untilMs, owner, msg } };
    }
    case 'w':
      return { type: 'awaiting_approval' };
    case 's':
      return { type: 'succeeded', stop };
    case 'p':
      return { type: 'stopped', stop };
    case 'f':
      return { type: 'failed', stop };
    case 'c':
      return { type: 'cancelled', stop };
    default:
      return head.st satisfies never;
  }
}

function countedRecord(counted: Counted): Head['co'] {
  if (counted.page === 0) return undefined;
  return [counted.page, counted.steps, counted.settled, counted.unsettled, counted.returned];
}

function countedOf(list: Head['co']): Counted {
  if (list === undefined) return uncounted;
  const [page, steps, settled, unsettled, returned] = list;
  return { page, steps, settled, unsettled, returned };
}

/** Reads a stored head. Throws `TerminalError` `newer_record` for one written by newer code. */
export function fromHeadRecord(id: string, stored: unknown): Job {
  const head = headV2.parse(lift(stored, `job ${id}`, HEAD_VERSION, lifts));
  const [maxSteps, maxTokens, maxConsecutiveFailures, timeoutSeconds] = head.li;
  const [ceiling, settled, reserved, unsettled] = head.le;
  const [input, output, cacheWrite, cacheRead] = head.us;
  return {
    id,
    tenant: head.lt.slice(JOBS_OF.length),
    agent: head.ag,
    batchId: head.ba,
    webhook: head.wh,
    status: statusOf(head),
    turn: head.tu,
    version: head.ve,
    fence: head.fe,
    by: head.by,
    apiBy: head.ab,
    from: head.fr,
    claimed: head.cl,
    attempts: head.at,
    waits: head.wa,
    nudges: head.nu,
    notBeforeMs: head.nb,
    dueAtMs: head.du,
    count: head.ct,
    steps: head.sn,
    failures: head.fa,
    lastReply: head.lr,
    observed: head.ob,
    cancelRequested: head.cr,
    pending: pendingOf(head.pe),
    ledger: { ceiling, settled, reserved, unsettled },
    lost: head.lo,
    limits: { maxSteps, maxTokens, maxConsecutiveFailures, timeoutSeconds },
    deadlineMs: head.dl,
    usage: { input, output, cacheWrite, cacheRead },
    savedByCacheMicroUsd: head.sv,
    promptBound: head.pb,
    textAt: head.ta,
    needsReview: head.nr,
    poolCut: head.pc,
    transcriptHash: head.th,
    counted: countedOf(head.co),
    dayPool: head.dp && { day: head.dp[0], taken: head.dp[1], before: head.dp[2] },
    deleted: head.dd,
    createdAtMs: head.lc,
    updatedAtMs: head.ua,
    endedAtMs: head.ea,
  };
}

function pendingOf(list: Head['pe']): Job['pending'] {
  if (list === undefined) return undefined;
  const [item, born, states, sinceMs, expiresAtMs, decidedAtMs] = list;
  return { item, born, states, sinceMs, expiresAtMs, decidedAtMs };
}
