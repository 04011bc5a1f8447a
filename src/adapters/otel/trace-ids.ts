import { createHash } from 'node:crypto';
import type { JobFacts, StepFacts } from '../../core/facts.ts';

/**
 * The ids of a job's trace, made from the job alone: spans of many invocations, none of which knows the others, hang
 * under a span that is written last. The creation time keeps a job that was made anew apart from its namesake.
 */
export interface TraceIds {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the span of the whole job, to which all others belong. */
  readonly root: string;
}

export function traceIds({ id, createdAtMs }: Pick<JobFacts, 'id' | 'createdAtMs'>): TraceIds {
  const digits = hex(`${id}.${createdAtMs}`);
  return { traceId: digits.slice(0, 32), root: digits.slice(32, 48) };
}

/** The span of a request, or with a place that of a call, of the commit that told of it. */
export function spanId({ traceId }: TraceIds, { fence }: Pick<StepFacts, 'fence'>, place?: number): string {
  return hex(`${traceId}.${fence}.${place ?? 'ask'}`).slice(0, 16);
}

const hex = (text: string): string => createHash('sha256').update(text).digest('hex');
