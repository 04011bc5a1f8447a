import type * as z from 'zod';
import { regionOf } from '../adapters/signed-fetch.ts';
import { ApiError } from '../client.ts';
import { TerminalError } from '../core/errors.ts';
import { oneLine } from '../tickets/padded.ts';
import { hint } from './hint.ts';

/** What is wrong, and what to do about it. */
export interface Complaint {
  readonly detail: string;
  readonly todo: string;
}

export type Reading<T> =
  | { readonly type: 'read'; readonly value: T }
  | { readonly type: 'failed'; readonly error: unknown };

/** An answer that is what its schema says, or why there is none. */
export async function readWell<Schema extends z.ZodType>(
  schema: Schema,
  ask: () => Promise<unknown>,
): Promise<Reading<z.output<Schema>>> {
  try {
    return { type: 'read', value: schema.parse(await ask()) };
  } catch (error) {
    return { type: 'failed', error };
  }
}

/** Why a deployment gave no answer that can be used, in words that a person can act on. */
export function whyNot(error: unknown, endpoint: string): Complaint {
  if (error instanceof TerminalError && error.code === 'no_credentials') {
    return {
      detail: error.message,
      todo: 'aws sso login, or AWS_PROFILE, or another way in which the SDK finds them',
    };
  }
  if (error instanceof ApiError) return ofStatus(error.status, endpoint);
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return { detail: `${endpoint} did not answer in time`, todo: 'see the log of the API function' };
  }
  // What `fetch` throws when nothing came back.
  if (error instanceof TypeError) return unreachable(error, endpoint);
  return notOurs(endpoint, 'an answer that is none of this API');
}

/** What a command is about, and the command that lists such things, without its name. */
export interface Subject {
  readonly name: string;
  readonly list: string;
}

/** An error of a command that asked a deployment, as what the command ends with: one sentence, and what to do. */
export function told(error: unknown, endpoint: string, subject?: Subject): unknown {
  if (error instanceof ApiError && error.status < 500 && error.problem.type?.startsWith('urn:treadle:')) {
    const what = subject === undefined ? '' : `${oneLine(subject.name)}: `;
    const message = `${what}${oneLine(error.message)}${nextOf(error.status, endpoint, subject)}`;
    // A value that the API does not know is wrong usage, as one that this command does not know.
    return new TerminalError(error.status === 400 ? 'usage' : 'refused', message, { cause: error });
  }
  if (error instanceof TerminalError && error.code !== 'no_credentials') return error;
  if (!isOfTheAnswer(error)) return error;
  const { detail, todo } = whyNot(error, endpoint);
  return new TerminalError('unreachable', `${detail}; ${todo}`, { cause: error });
}

function nextOf(status: number, endpoint: string, subject: Subject | undefined): string {
  if (status === 403) return '; docs/deploy.md says which role gives that permission';
  return status === 404 && subject !== undefined
    ? `; ${hint(subject.list, endpoint)} lists what is there`
    : '';
}

/** Nothing came, or what came was none of ours; all else is a fault of this command. */
function isOfTheAnswer(error: unknown): boolean {
  if (error instanceof ApiError || error instanceof TerminalError || error instanceof SyntaxError)
    return true;
  if (error instanceof DOMException) return error.name === 'TimeoutError';
  // What `fetch` throws says why in its cause.
  return error instanceof TypeError && error.cause !== undefined;
}

function ofStatus(status: number, endpoint: string): Complaint {
  const detail = `${endpoint} answered ${status}`;
  // What it says is success, but not of what was asked.
  if (status < 400) return notOurs(endpoint, 'an answer that is none of this API');
  switch (status) {
    case 401:
    case 403:
      return {
        detail: `${detail}: this caller may not ask`,
        todo:
          regionOf(endpoint) === undefined
            ? 'only addresses of execute-api are signed for: use the one that the deployment gave out'
            : 'the role needs execute-api:Invoke on the routes, and a tenant where roles are mapped: docs/deploy.md',
      };
    case 404:
      return notOurs(endpoint, detail);
    case 429:
      return {
        detail: `${detail}: too many requests`,
        todo: 'ask again in a minute: docs/operate.md#throttles',
      };
    default:
      return { detail, todo: 'see the log of the API function: docs/operate.md#function-errors' };
  }
}

const notOurs = (endpoint: string, detail: string): Complaint => ({
  detail,
  todo: `${endpoint} is no Treadle API: use the address that the deployment, or ${hint('dev')}, gave out`,
});

function unreachable(error: TypeError, endpoint: string): Complaint {
  const { code } = (error.cause ?? {}) as { readonly code?: unknown };
  const local = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(endpoint).hostname);
  return {
    detail: `${endpoint} cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`,
    todo: local
      ? `start it with ${hint('dev')}, or name another one with --endpoint`
      : 'check the address and the network',
  };
}
