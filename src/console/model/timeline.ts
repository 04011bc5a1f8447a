import { attemptsText } from './attempts.ts';
import type { Step } from './step.ts';

export type Phase = 'queue' | 'tools' | 'model' | 'engine';

/** A part of a step's time, placed on a line of 100. */
export interface Stretch {
  readonly phase: Phase;
  readonly ms: number;
  readonly from: number;
  readonly width: number;
}

export interface TimelineRow {
  readonly step: number;
  readonly totalMs: number;
  readonly stretches: readonly Stretch[];
  /** How long nothing went on before this step, where that was long: a person, or a model that could not answer. */
  readonly waitedMs: number;
  /** Its attempts in words, and what each left; empty for the usual. */
  readonly tries: string;
  /** A place on the line for each attempt of unknown outcome, before what is known. When it was is not. */
  readonly lost: readonly number[];
}

export interface Timeline {
  readonly rows: readonly TimelineRow[];
  /** Without the waits. */
  readonly busyMs: number;
  readonly waitedMs: number;
  /** When the last step ended; when the job was made, where there is none. */
  readonly endMs: number;
  readonly byPhase: Readonly<Record<Phase, number>>;
}

/** Calls of the last reply are run first, then the model is asked. */
const order: readonly Phase[] = ['queue', 'tools', 'model', 'engine'];
/** Of the busy time: a longer gap is a wait, which would squeeze everything else. */
const LONG_GAP = 0.1;
const LEAST_WAIT_MS = 1_000;
/** What a wait takes of the line. */
const WAIT_WIDTH = 0.02;
/** From the mark of one lost attempt to the next, of the line of 100. */
const LOST_WIDTH = 1;

/**
 * Steps under each other in time, from when the job was made. Long waits before them are cut short, so that the work is
 * seen.
 */
export function timelineOf(steps: readonly Step[], madeAt: string): Timeline {
  const totals = steps.map(({ ms }) => order.reduce((sum, phase) => sum + ms[phase], 0));
  const busyMs = totals.reduce((sum, ms) => sum + ms, 0);
  const longGap = Math.max(LEAST_WAIT_MS, busyMs * LONG_GAP);
  const cut = Math.max(1, busyMs * WAIT_WIDTH);
  const placed: { readonly startMs: number; readonly waitedMs: number }[] = [];
  let endMs = Date.parse(madeAt);
  let line = 0;
  for (const [at, { at: iso }] of steps.entries()) {
    const total = totals[at] ?? 0;
    const end = Date.parse(iso);
    const gap = Math.max(0, end - total - endMs);
    const waitedMs = gap > longGap ? gap : 0;
    line += waitedMs > 0 ? cut : gap;
    placed.push({ startMs: line, waitedMs });
    line += total;
    endMs = end;
  }
  const rows = steps.map((step, at) => rowOf(step, placed[at] ?? { startMs: 0, waitedMs: 0 }, line));
  const waitedMs = placed.reduce((sum, place) => sum + place.waitedMs, 0);
  const phaseMs = (phase: Phase): number => steps.reduce((sum, { ms }) => sum + ms[phase], 0);
  const byPhase = {
    queue: phaseMs('queue'),
    tools: phaseMs('tools'),
    model: phaseMs('model'),
    engine: phaseMs('engine'),
  };
  return { rows, busyMs, waitedMs, endMs, byPhase };
}

function rowOf(
  { step, ms, model }: Step,
  { startMs, waitedMs }: { readonly startMs: number; readonly waitedMs: number },
  all: number,
): TimelineRow {
  const share = (value: number): number => (all <= 0 ? 0 : (value / all) * 100);
  let from = startMs;
  const stretches = order.flatMap((phase) => {
    if (ms[phase] <= 0) return [];
    const stretch = { phase, ms: ms[phase], from: share(from), width: share(ms[phase]) };
    from += ms[phase];
    return [stretch];
  });
  const first = Math.max(0, share(startMs) - model.unsettledEachUsd.length * LOST_WIDTH);
  const lost = model.unsettledEachUsd.map((_, at) => first + at * LOST_WIDTH);
  return { step, totalMs: from - startMs, stretches, waitedMs, tries: attemptsText(model), lost };
}
