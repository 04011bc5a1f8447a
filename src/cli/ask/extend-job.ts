import type { Job } from '../../client.ts';
import { TerminalError } from '../../core/errors.ts';
import { exactUsd } from '../../tickets/summary.ts';
import { hint } from '../hint.ts';
import type { Asking } from './asking.ts';
import { changeJob } from './change-job.ts';

export interface More {
  readonly addUsd?: number;
  readonly addSteps?: number;
  readonly addTokens?: number;
  readonly addSeconds?: number;
}

const LEAST_STEPS = 4;

/** The command that lets a job go on that a limit stopped: with as much again of what it lacked. */
export function extendCommand(job: Job, endpoint: string): string {
  const lacks = lackOf(job);
  return hint(`extend ${job.id}${lacks === undefined ? '' : ` ${lacks}`}`, endpoint);
}

/** The option that adds what the job lacked; undefined where it lacked nothing. */
function lackOf({ stop, limits }: Job): string | undefined {
  switch (stop?.reason) {
    case 'max_steps':
      return `--add-steps ${Math.max(LEAST_STEPS, limits.maxSteps)}`;
    case 'cost_ceiling':
    case 'pool_exhausted':
      return `--add-usd ${exactUsd(limits.maxCostUsd).slice(1)}`;
    case 'token_budget':
      return `--add-tokens ${limits.maxTokens}`;
    case 'deadline':
      return `--add-seconds ${limits.timeoutSeconds}`;
    default:
      return undefined;
  }
}

/** Raises the limits of a stopped job. Without any option the API would say what is missing in words of its own. */
export async function extendJob(asking: Asking, id: string, more: More): Promise<number> {
  if (Object.values(more).every((value) => value === undefined)) await refuseNothing(asking, id);
  return changeJob(asking, (client) => client.extend(id, more));
}

async function refuseNothing({ client, endpoint }: Asking, id: string): Promise<void> {
  const job = await client.job(id);
  if (job.stop?.reason === 'consecutive_failures') return;
  const stopped =
    lackOf(job) === undefined ? '' : `; ${job.stop?.reason} stopped it: ${extendCommand(job, endpoint)}`;
  throw new TerminalError(
    'usage',
    `${id}: extend takes --add-usd, --add-steps, --add-tokens or --add-seconds${stopped}`,
  );
}
