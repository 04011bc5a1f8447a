import type { JobFilter, JobStatus, StopReason } from '../../client.ts';

export const statuses: readonly JobStatus[] = [
  ...(['queued', 'running', 'awaiting_approval', 'succeeded', 'stopped', 'failed', 'cancelled'] as const),
];

export const stopReasons: readonly StopReason[] = [
  ...([
    'completed',
    'cancelled',
    'max_steps',
    'cost_ceiling',
    'token_budget',
    'consecutive_failures',
  ] as const),
  ...(['deadline', 'pool_exhausted', 'max_output_tokens', 'context_window', 'refusal'] as const),
  ...(['approval_expired', 'invalid_output', 'rejected_request', 'model_unavailable'] as const),
  ...(['configuration', 'internal'] as const),
];

type Query = Readonly<Record<string, string>>;

/** The filters as the address of the page has them; what is none of ours is left out. */
export function filterOf(query: Query): JobFilter {
  const status = statuses.find((name) => name === query['status']);
  const stop = stopReasons.find((name) => name === query['stop']);
  const { agent, batch } = { agent: query['agent'], batch: query['batch'] };
  return {
    ...(status === undefined ? {} : { status }),
    ...(stop === undefined ? {} : { stop }),
    ...(agent === undefined || agent === '' ? {} : { agent }),
    ...(batch === undefined || batch === '' ? {} : { batch }),
  };
}

/** The same filters as the end of an address. */
export function queryOf(filter: JobFilter): string {
  const parameters = new URLSearchParams();
  for (const name of ['status', 'stop', 'agent', 'batch'] as const) {
    const value = filter[name];
    if (value !== undefined && value !== '') parameters.set(name, value);
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}
