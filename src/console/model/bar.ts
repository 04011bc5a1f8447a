import type { JobStatus } from '../../client.ts';
import { words } from './text.ts';

/** What a part of a bar stands for; the style sheet gives each its colour and pattern. */
export type Tone = 'spent' | 'unsettled' | 'reserved' | 'good' | 'live' | 'waiting' | 'bad' | 'idle' | 'free';

export interface Part {
  readonly tone: Tone;
  readonly name: string;
  readonly value: number;
  /** The jobs that it counts, as the filter names them. */
  readonly status?: JobStatus;
}

/** A part with its place on a bar of 100. */
export interface Segment extends Part {
  readonly from: number;
  readonly width: number;
}

/** A part that is there is seen, however small. */
const LEAST = 0.6;

/** Parts beside each other, as shares of `all` or of what they add up to where that is more. */
export function segments(parts: readonly Part[], all: number): readonly Segment[] {
  const sum = parts.reduce((total, { value }) => total + Math.max(0, value), 0);
  const scale = Math.max(all, sum);
  if (scale <= 0) return [];
  let from = 0;
  return parts.flatMap((part) => {
    if (part.value <= 0) return [];
    const width = Math.min(100 - from, Math.max(LEAST, (part.value / scale) * 100));
    const segment = { ...part, from, width };
    from += width;
    return [segment];
  });
}

interface Money {
  readonly spentUsd: number;
  readonly reservedUsd: number;
  readonly unsettledUsd?: number;
}

/**
 * The money of a job or batch as one bar: booked, held for outcomes nobody knows, held for the request under way. What is
 * booked for a batch is not told apart, so it is called no more than spent.
 */
export function moneyParts({ spentUsd, reservedUsd, unsettledUsd }: Money): readonly Part[] {
  const reserved: Part = { tone: 'reserved', name: 'reserved', value: reservedUsd };
  if (unsettledUsd === undefined) return [{ tone: 'spent', name: 'spent', value: spentUsd }, reserved];
  return [
    { tone: 'spent', name: 'settled', value: spentUsd - unsettledUsd },
    { tone: 'unsettled', name: 'unsettled', value: unsettledUsd },
    reserved,
  ];
}

interface Counts {
  readonly queued: number;
  readonly running: number;
  readonly awaiting_approval: number;
  readonly succeeded: number;
  readonly stopped: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly rejected: number;
}

/** The rows of a batch as one bar, those that ended well first. */
export function countParts(counts: Counts): readonly Part[] {
  const part = (tone: Tone, status: JobStatus): Part => ({
    ...{ tone, status, name: words(status), value: counts[status] },
  });
  return [
    part('good', 'succeeded'),
    part('waiting', 'awaiting_approval'),
    part('live', 'running'),
    ...(['stopped', 'failed', 'cancelled'] as const).map((status) => part('bad', status)),
    { tone: 'bad', name: 'rejected', value: counts.rejected },
    part('idle', 'queued'),
  ];
}
