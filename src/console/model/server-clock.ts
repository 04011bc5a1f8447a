/** How far a server's clock is ahead of this browser's, as far as is known, in milliseconds. */
export interface Ahead {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Heard {
  /** What the `date` header of the answer says: whole seconds, the rest cut off. */
  readonly date: string | null;
  /** By the clock of this browser. */
  readonly askedMs: number;
  readonly heardMs: number;
}

const SECOND_MS = 1_000;

/**
 * What is known after one more answer. Its date was written between question and answer, and is up to a second older than
 * it says. Answers agree with each other until one of the clocks is set anew: then only the last one counts.
 */
export function aheadAfter(known: Ahead | undefined, { date, askedMs, heardMs }: Heard): Ahead | undefined {
  const saidMs = date === null ? Number.NaN : Date.parse(date);
  // A clock that was set back meanwhile says nothing about how long the answer took.
  if (Number.isNaN(saidMs) || heardMs < askedMs) return known;
  const now = { fromMs: saidMs - heardMs, toMs: saidMs + SECOND_MS - askedMs };
  if (known === undefined) return now;
  const both = { fromMs: Math.max(known.fromMs, now.fromMs), toMs: Math.min(known.toMs, now.toMs) };
  return both.fromMs <= both.toMs ? both : now;
}

/** What to add to this browser's clock: nothing while both may be the same. */
export function correctionMs(ahead: Ahead | undefined): number {
  if (ahead === undefined || (ahead.fromMs <= 0 && ahead.toMs >= 0)) return 0;
  return Math.round((ahead.fromMs + ahead.toMs) / 2);
}
