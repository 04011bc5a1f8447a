import { isOwn } from '../app/own.ts';
import { viewJob } from '../app/views.ts';
import type { Agent } from '../core/agent.ts';
import type { Job } from '../core/job.ts';
import { cleanText, stableJson, utf8Bytes } from '../core/safe-json.ts';
import { type Answer, json, notFound, refuse } from './answer.ts';
import { type FieldError, problem } from './problem.ts';
import type { RouteContext } from './route.ts';
import type { LowerLimits } from './schemas/job.ts';

/** The job as it stands now. */
export async function jobAnswer(
  { world, identity }: RouteContext,
  jobId: string,
  status = 200,
  headers: Answer['headers'] = {},
): Promise<Answer> {
  const view = await viewJob(world, identity.tenant, jobId);
  return view === undefined ? notFound('job') : json(status, view, headers);
}

/** The head of a job of the caller's tenant; undefined for all others. */
export async function ownJob({ world, identity }: RouteContext, jobId: string): Promise<Job | undefined> {
  const job = await world.store.loadJob(jobId);
  return isOwn(world, identity.tenant, job) ? job : undefined;
}

/** The refusal of an agent that is not there; it says which are. The name that was sent is not repeated. */
export function unknownAgent({ world }: RouteContext): Answer {
  const names = [...world.agents.keys()].join(', ');
  return refuse(
    problem(400, 'unknown_agent', `unknown agent; the agents are: ${names}`, [
      { name: 'agent', message: `is unknown; the agents are: ${names}` },
    ]),
  );
}

/** Limits that would raise the agent's, under the names `where` + limit: that is what an extension is for. */
export function raisedLimits(
  agent: Agent,
  limits: LowerLimits = {},
  where = 'limits.',
): readonly FieldError[] {
  const names = Object.keys(limits) as (keyof LowerLimits)[];
  return names
    .filter((name) => (limits[name] ?? 0) > agent.limits[name])
    .map((name) => ({
      name: `${where}${name}`,
      message: `may only lower the limit of the agent, which is ${agent.limits[name]}`,
    }));
}

/** Why a webhook cannot be taken: nobody could sign what it is sent, or its address is not fit. */
export function webhookErrors(context: RouteContext, url: string | undefined): readonly FieldError[] {
  if (url === undefined) return [];
  const message =
    context.world.notifier.webhook === undefined ? 'no webhook secret is set' : context.webhookProblem(url);
  return message === undefined ? [] : [{ name: 'webhook', message }];
}

/** The most that an input may have, in UTF-8 as it is stored. */
export const MAX_INPUT_BYTES = 262_144;

/** An input as text. An object becomes JSON with sorted keys, so that their order does not make it another job. */
export function inputText(input: string | object): string {
  return typeof input === 'string' ? input : stableJson(input);
}

/** Why a text is too large to be an input; undefined when it is not. */
export function inputTooLarge(text: string): string | undefined {
  const bytes = utf8Bytes(cleanText(text));
  return bytes > MAX_INPUT_BYTES ? `${bytes} bytes, the most is ${MAX_INPUT_BYTES}` : undefined;
}
