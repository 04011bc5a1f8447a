import type * as z from 'zod';
import { regionOf } from '../adapters/signed-fetch.ts';
import { ApiError } from '../client.ts';
import { TerminalError } from '../core/errors.ts';

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

function ofStatus(status: number, endpoint: string): Complaint {
  const detail = `${endpoint} answered ${status}`;
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
  todo: `${endpoint} is no Treadle API: use the address that the deployment, or treadle dev, gave out`,
});

function unreachable(error: TypeError, endpoint: string): Complaint {
  const { code } = (error.cause ?? {}) as { readonly code?: unknown };
  const local = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(endpoint).hostname);
  return {
    detail: `${endpoint} cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`,
    todo: local
      ? 'start it with treadle dev, or name another one with --endpoint'
      : 'check the address and the network',
  };
}
