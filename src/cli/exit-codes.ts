import type { Summary } from '../tickets/summary.ts';

/** The exit codes of every command. */
export const exitCode = {
  done: 0,
  error: 1,
  usage: 2,
  partly: 3,
  limited: 4,
  interrupted: 130,
} as const;

/** A job that one of these ended may go on with more of what it lacked. */
export const limits: ReadonlySet<string> = new Set([
  'max_steps',
  'cost_ceiling',
  'token_budget',
  'deadline',
  'pool_exhausted',
]);

/** How the jobs of a run ended, as far as its exit code is made of it. */
export interface Ends extends Pick<Summary, 'rejected' | 'stopReasons'> {
  readonly jobs: Pick<Summary['jobs'], 'notStarted' | 'failed' | 'cancelled' | 'stopped'>;
}

/** 4 when a limit ended a job or kept rows from starting; 3 when rows were rejected or a job ended otherwise than well. */
export function codeOf(summary: Ends): number {
  const reasons = Object.keys(summary.stopReasons);
  if (summary.jobs.notStarted > 0 || reasons.some((reason) => limits.has(reason))) return exitCode.limited;
  const { failed, cancelled, stopped } = summary.jobs;
  return summary.rejected > 0 || failed + cancelled + stopped > 0 ? exitCode.partly : exitCode.done;
}

const usageCodes = new Set([
  'usage',
  'unknown_agent',
  'agents_module',
  'invalid_map',
  'invalid_script',
  'invalid_definition',
  'no_model',
  'foreign_data_dir',
]);

/** The exit code for an error by its `code`. */
export function codeOfError(code: string): number {
  return usageCodes.has(code) ? exitCode.usage : exitCode.error;
}
