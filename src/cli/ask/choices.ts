import type { JobStatus, StopReason } from '../../client.ts';

/** What the API takes for a filter, said here so that a command line is read without loading its schemas. */
export const jobStatuses = [
  ...['queued', 'running', 'awaiting_approval', 'succeeded', 'stopped', 'failed', 'cancelled'],
] as readonly JobStatus[];

export const stopReasons = [
  ...['completed', 'cancelled', 'max_steps', 'cost_ceiling', 'token_budget', 'consecutive_failures'],
  ...['deadline', 'pool_exhausted', 'max_output_tokens', 'context_window', 'refusal', 'approval_expired'],
  ...['invalid_output', 'rejected_request', 'model_unavailable', 'configuration', 'internal'],
] as readonly StopReason[];

export const costKeys = ['tenant', 'agent', 'day', 'batch'] as const;
