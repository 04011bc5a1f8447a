import { type Share, shareOf } from './accuracy.ts';

/** One answer with what it says of itself. */
export interface Claim {
  /** From 0 to 1. */
  readonly confidence: number;
  readonly right: boolean;
}

/** The answers whose confidence is at least `from` and less than `to`; in the last bin 1 is included. */
export interface Bin extends Share {
  readonly from: number;
  readonly to: number;
  readonly meanConfidence: number;
  /** All answers of at least `from`: what would go without a review if the threshold were there. */
  readonly kept: Share;
}

export interface Calibration {
  readonly bins: readonly Bin[];
  /** The mean distance between confidence and share right, weighted by the cases of each bin. */
  readonly expectedError: number;
  readonly meanConfidence: number;
  readonly all: Share;
}

/** Where bins begin: below one half all is the same to whoever reads it. */
const starts = [0, 0.5, 0.6, 0.7, 0.8, 0.9] as const;

/** What a float is off by must not put 0.6 into the bin below it. */
const EPSILON = 1e-9;

/**
 * Whether confidence means what it says. The expected calibration error is the one of C. Guo, G. Pleiss, Y. Sun and
 * K. Q. Weinberger, "On calibration of modern neural networks", ICML 2017, over the bins above. Undefined
 * without any claim.
 */
export function calibrationOf(claims: readonly Claim[]): Calibration | undefined {
  if (claims.length === 0) return undefined;
  const bins = starts.map((from, at): Bin => {
    const to = starts[at + 1] ?? 1;
    const kept = claims.filter(({ confidence }) => confidence >= from - EPSILON);
    const inside = at + 1 === starts.length ? kept : kept.filter((one) => one.confidence < to - EPSILON);
    return { from, to, meanConfidence: mean(inside), ...rightOf(inside), kept: rightOf(kept) };
  });
  const expectedError = bins.reduce(
    (sum, bin) => sum + (bin.of / claims.length) * Math.abs(bin.share - bin.meanConfidence),
    0,
  );
  return { bins, expectedError, meanConfidence: mean(claims), all: rightOf(claims) };
}

const rightOf = (claims: readonly Claim[]): Share =>
  shareOf(claims.filter(({ right }) => right).length, claims.length);

const mean = (claims: readonly Claim[]): number =>
  claims.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, claims.length);
