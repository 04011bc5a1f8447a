import type { Stop, StopReason } from './job.ts';

const sentences: Readonly<Record<StopReason, string>> = {
  completed: 'The job is done.',
  cancelled: 'The job was cancelled.',
  max_steps: 'The job used all its steps without an answer',
  cost_ceiling: 'The job stopped before it could pass its cost ceiling',
  token_budget: 'The job used up its tokens',
  consecutive_failures: 'Too many steps in a row failed',
  deadline: 'The job ran out of time',
  pool_exhausted: 'The money of the batch is used up',
  max_output_tokens: 'The model needed more output than it may give in one reply',
  context_window: 'The conversation no longer fits the model',
  refusal: 'The model refused to go on',
  approval_expired: 'Nobody decided in time on a call that needs a person',
  invalid_output: 'The model gave no valid answer, although it was asked again',
  rejected_request: 'The provider rejected the request and would reject it again',
  model_unavailable: 'The model could not be reached for too long',
  configuration: 'The provider or this deployment is not set up for this job',
  internal: 'The step could not be finished: its worker died or ran out of time again and again',
};

/** One sentence that a person understands, with the figures and names that the stop kept. */
export function stopMessage(stop: Stop): string {
  const sentence = sentences[stop.reason];
  return stop.detail === ''
    ? `${sentence.replace(/\.$/, '')}.`
    : `${sentence.replace(/\.$/, '')}: ${stop.detail}.`;
}
