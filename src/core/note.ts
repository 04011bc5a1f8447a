import * as z from 'zod';
import { MAX_DELAY_SECONDS } from './decide.ts';
import { lift } from './head-format.ts';
import { DUE_AFTER_MS, dueTime } from './job.ts';

/** What came of one try to tell somebody. `problem` is short and quotes nothing of what was sent or answered. */
export type Told =
  | { readonly type: 'told' }
  | { readonly type: 'again'; readonly problem: string }
  | { readonly type: 'never'; readonly problem: string };

const natural = z.number().int().nonnegative();
/** How it stands with one way of telling: `none` where nobody listens there. */
const way = z.enum(['none', 'due', 'told', 'given_up']);

/**
 * The record of one notice: what is told, how it stands with the event bus and the webhook, and when somebody looks
 * again. Facts that change are written down when it is made: a receiver that was away hears what happened, not what the
 * job has become since.
 */
const noteRecord = z.object({
  v: z.literal(1),
  type: z.enum(['job.ended', 'job.awaiting_approval', 'batch.ended']),
  tenant: z.string(),
  /** When it happened. */
  atMs: natural,
  /** JSON text: ids, states and figures, never content. */
  data: z.string(),
  /** The step item that holds the calls it is about, where their tools' names are read; 0 for none. */
  item: natural,
  event: way,
  webhook: way,
  version: natural,
  tries: natural,
  /** Times the reconciler has sent its message again since the last try. */
  nudges: natural,
  notBeforeMs: natural,
  /** Why the last try of a way that has not been told failed. */
  problems: z.object({ event: z.string().optional(), webhook: z.string().optional() }),
  /** When somebody must look at it; absent once nobody needs to. */
  du: natural.default(0),
});

/** A notice that is to be told, or was. `of` is the job or batch, `key` the same whoever makes it. */
export type Note = Readonly<z.infer<typeof noteRecord>> & { readonly of: string; readonly key: string };

export function readNote(of: string, key: string, stored: unknown): Note {
  return { ...noteRecord.parse(lift(stored, `notice ${key} of ${of}`, 1, {})), of, key };
}

/** What is known of a notice when it is made. */
export type NewNote = Pick<Note, 'of' | 'key' | 'type' | 'tenant' | 'atMs' | 'item'> & {
  readonly data: Readonly<Record<string, unknown>>;
  readonly events: boolean;
  readonly webhook: boolean;
};

export function newNote({ data, events, webhook, ...facts }: NewNote, nowMs: number): Note {
  return {
    ...facts,
    v: 1,
    data: JSON.stringify(data),
    event: events ? 'due' : 'none',
    webhook: webhook ? 'due' : 'none',
    ...{ version: 1, tries: 0, nudges: 0, notBeforeMs: 0, problems: {} },
    du: dueTime(0, nowMs + DUE_AFTER_MS, nowMs),
  };
}

export function isPending(note: Note): boolean {
  return note.event === 'due' || note.webhook === 'due';
}

/** The id by which receivers know every try of a notice. Without a full stop: signatures are made over `id.time.body`. */
export function noticeId(note: Note): string {
  return `${note.of}-${note.key}`;
}

/** What came of one try; a way that was not tried is absent. */
export interface Tried {
  readonly event?: Told | undefined;
  readonly webhook?: Told | undefined;
}

const MINUTE_S = 60;
const HOUR_S = 3600;
/** Seconds between one try and the next: ten tries, the last of them less than a day after the first. */
const WAITS_S = [
  5,
  30,
  2 * MINUTE_S,
  10 * MINUTE_S,
  30 * MINUTE_S,
  HOUR_S,
  2 * HOUR_S,
  5 * HOUR_S,
  10 * HOUR_S,
] as const;

/** What the note becomes by a try: told, given up, or to be tried again. `random` spreads waits by 20 % either way. */
export function afterTry(note: Note, tried: Tried, nowMs: number, random: number): Note {
  const waitS = WAITS_S[note.tries];
  const last = waitS === undefined;
  const next: Note = {
    ...note,
    version: note.version + 1,
    tries: note.tries + 1,
    nudges: 0,
    event: wayAfter(note.event, tried.event, last),
    webhook: wayAfter(note.webhook, tried.webhook, last),
    problems: problemsOf(note, tried),
  };
  if (last || !isPending(next)) return { ...next, notBeforeMs: 0, du: 0 };
  const waitMs = Math.round(waitS * 1000 * (0.8 + 0.4 * random));
  const notBeforeMs = nowMs + waitMs;
  // No message can wait for that long: the reconciler sends it.
  const woken = waitMs > MAX_DELAY_SECONDS * 1000;
  return { ...next, notBeforeMs, du: woken ? notBeforeMs : dueTime(0, notBeforeMs + DUE_AFTER_MS, nowMs) };
}

function wayAfter(way: Note['event'], told: Told | undefined, last: boolean): Note['event'] {
  if (way !== 'due' || told === undefined) return way;
  switch (told.type) {
    case 'told':
      return 'told';
    case 'never':
      return 'given_up';
    case 'again':
      return last ? 'given_up' : 'due';
    default:
      return told satisfies never;
  }
}

function problemsOf({ problems }: Note, tried: Tried): Note['problems'] {
  const after = { ...problems };
  for (const way of ['event', 'webhook'] as const) {
    const told = tried[way];
    if (told?.type === 'told') delete after[way];
    else if (told !== undefined) after[way] = told.problem.slice(0, 200);
  }
  return after;
}

/** The reconciler sends its message again, less and less often. */
export function nudge(note: Note, nowMs: number): Note {
  const waitMs = Math.min(DUE_AFTER_MS * 2 ** note.nudges, MAX_DELAY_SECONDS * 1000);
  return { ...note, version: note.version + 1, nudges: note.nudges + 1, du: nowMs + waitMs };
}
