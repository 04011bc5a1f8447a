import { mcnemarExact } from './mcnemar.ts';
import { own } from './measured.ts';
import type { SavedCase, SavedRun } from './saved-run.ts';

export interface FieldDifference {
  readonly field: string;
  /** Cases that both runs judged. */
  readonly of: number;
  readonly before: number;
  readonly now: number;
  /** Ids of the cases that changed. */
  readonly newlyRight: readonly string[];
  readonly newlyWrong: readonly string[];
  /** Of McNemar's exact test over the cases that changed. */
  readonly p: number;
  /** `same` where chance alone explains the difference, at 5 %. */
  readonly verdict: 'better' | 'worse' | 'same';
}

/** Before, now, and by how much now is more, each as the mean over the cases of both runs. */
export interface MeanDifference {
  readonly before: number;
  readonly now: number;
  readonly more: number;
}

export interface Difference {
  /** Cases in both runs. */
  readonly cases: number;
  readonly fields: readonly FieldDifference[];
  readonly costUsd: MeanDifference;
  readonly steps: MeanDifference;
  /** Ids that only one of the runs has. */
  readonly onlyBefore: readonly string[];
  readonly onlyNow: readonly string[];
  /** Why the two should not be compared without a second thought. */
  readonly cautions: readonly string[];
}

/** At this p a difference counts as one. */
const SIGNIFICANT = 0.05;

interface Pair {
  readonly before: SavedCase;
  readonly now: SavedCase;
}

/** What changed from one run to another, case by case: a case that only one of them has counts for neither. */
export function differenceOf(before: SavedRun, now: SavedRun): Difference {
  const earlier = new Map(before.cases.map((one) => [one.id, one]));
  const later = new Set(now.cases.map(({ id }) => id));
  const pairs = now.cases.flatMap((one): readonly Pair[] => {
    const other = earlier.get(one.id);
    return other === undefined ? [] : [{ before: other, now: one }];
  });
  const fields = [...new Set([...now.fields, ...before.fields])];
  return {
    cases: pairs.length,
    fields: fields.map((field) => fieldDifference(pairs, field)),
    costUsd: meanDifference(pairs, ({ costUsd }) => costUsd),
    steps: meanDifference(pairs, ({ steps }) => steps),
    onlyBefore: before.cases.filter(({ id }) => !later.has(id)).map(({ id }) => id),
    onlyNow: now.cases.filter(({ id }) => !earlier.has(id)).map(({ id }) => id),
    cautions: cautionsOf(before, now),
  };
}

function fieldDifference(pairs: readonly Pair[], field: string): FieldDifference {
  const judged = pairs.flatMap(({ before, now }) => {
    const [was, is] = [own(before.right, field), own(now.right, field)];
    return was === undefined || is === undefined ? [] : [{ id: now.id, was, is }];
  });
  const newlyRight = judged.filter(({ was, is }) => is && !was).map(({ id }) => id);
  const newlyWrong = judged.filter(({ was, is }) => was && !is).map(({ id }) => id);
  const p = mcnemarExact(newlyRight.length, newlyWrong.length);
  const direction = newlyRight.length > newlyWrong.length ? 'better' : 'worse';
  return {
    field,
    of: judged.length,
    before: judged.filter(({ was }) => was).length,
    now: judged.filter(({ is }) => is).length,
    newlyRight,
    newlyWrong,
    p,
    verdict: p < SIGNIFICANT ? direction : 'same',
  };
}

function meanDifference(pairs: readonly Pair[], of: (one: SavedCase) => number): MeanDifference {
  const mean = (side: keyof Pair): number =>
    pairs.reduce((sum, pair) => sum + of(pair[side]), 0) / Math.max(1, pairs.length);
  const [before, now] = [mean('before'), mean('now')];
  return { before, now, more: now - before };
}

function cautionsOf(before: SavedRun, now: SavedRun): readonly string[] {
  const writer = (run: SavedRun): string => run.scripted ?? 'by a model';
  return [
    ...(before.casesHash === now.casesHash
      ? []
      : ['the cases or their labels are not those of the baseline']),
    ...(before.agent.name === now.agent.name
      ? []
      : [`the baseline is of the agent ${before.agent.name}, this run of ${now.agent.name}`]),
    ...(before.scripted === now.scripted
      ? []
      : [`the answers of the baseline were ${writer(before)}, those of this run ${writer(now)}`]),
  ];
}
