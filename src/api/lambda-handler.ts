import type { Hono } from 'hono';
import { problem } from './problem.ts';

/** What of an HTTP API's event (payload format 2.0) is read; its authorizer's context is read by `identify`. */
export interface ApiEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly requestContext: { readonly http: { readonly method: string } };
}

export interface ApiResult {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

export type ApiHandler = (event: ApiEvent) => Promise<ApiResult>;

/**
 * The API behind an HTTP API of API Gateway. Not through the router's own adapter: that one drops empty headers and
 * rewrites those that are not ASCII, so that a wrong Idempotency-Key would pass as none or as another, and it prints
 * what it cannot read.
 */
export function createApiHandler(api: Hono): ApiHandler {
  return async (event) => {
    const request = requestOf(event);
    if (request === undefined) return unreadable;
    const response = await api.fetch(request, { event });
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
      isBase64Encoded: false,
    };
  };
}

const unreadable: ApiResult = {
  statusCode: 400,
  headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  body: JSON.stringify(problem(400, 'invalid_request', 'the request cannot be read')),
  isBase64Encoded: false,
};

/** Undefined for what a `Request` cannot be: a method such as TRACE, a header with an impossible name. */
function requestOf(event: ApiEvent): Request | undefined {
  const { rawPath, rawQueryString, body = '', requestContext } = event;
  const { method } = requestContext.http;
  // The gateway has decoded the path: what would end it there is part of it. The host says nothing and is not needed.
  const path = rawPath.replaceAll(/[?#\\]/g, encodeURIComponent);
  const query = rawQueryString === '' ? '' : `?${rawQueryString}`;
  const reads = method === 'GET' || method === 'HEAD';
  const bytes = event.isBase64Encoded ? Buffer.from(body, 'base64') : new TextEncoder().encode(body);
  try {
    return new Request(`https://api${path}${query}`, {
      method,
      headers: headersOf(event),
      ...(reads || body === '' ? {} : { body: bytes }),
    });
  } catch {
    return undefined;
  }
}

/** Characters that headers cannot carry here become DEL, which no rule of ours takes for a key. */
function headersOf({ headers = {} }: ApiEvent): Headers {
  const plain = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain.append(name, value.replaceAll(/[^\t\x20-\x7e]/g, '\x7f'));
  }
  return plain;
}
