import { fetchFor, regionOf } from '../adapters/signed-fetch.ts';
import { problem } from '../api/problem.ts';
import { startApiServer } from '../local/api-server.ts';
import { CONSOLE_PATH, consoleSite } from '../local/console-site.ts';
import { dataOnly } from '../local/data-only.ts';
import { exitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

export interface ConsoleOptions {
  readonly endpoint: string;
  readonly port: number;
  readonly json: boolean;
}

/** Of a request only these go on: neither cookies nor what a browser says of its user. */
const sentOn = ['content-type', 'idempotency-key', 'x-treadle-tenant', 'accept'];
/** The date is the deployment's own: by it the page tells what time is left to decide. */
const sentBack = ['date', 'content-type', 'x-treadle-cursor', 'x-treadle-answers', 'retry-after', 'location'];

/** Longer than the API may take on AWS. */
const ANSWER_MS = 35_000;
const API = '/api';

/** The console for a deployment, on this machine until it is interrupted: what it asks is signed here. Returns the exit code. */
export async function serveConsole(
  { endpoint, port, json }: ConsoleOptions,
  terminal: Terminal,
  { send = fetchFor(endpoint) } = {},
): Promise<number> {
  const interrupted = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  const server = await startApiServer({ api: { fetch: consoleFor(endpoint, send) }, port });
  const console = `${server.url}${CONSOLE_PATH}`;
  if (json) terminal.out(`${JSON.stringify({ ready: true, console, endpoint })}\n`);
  else terminal.out(`${console}\n`);
  const region = regionOf(endpoint);
  const signed = region === undefined ? '' : `, signed for ${region} with your AWS credentials`;
  if (!json) terminal.err(`It shows ${endpoint}${signed}.\nCtrl-C ends it.\n`);
  await interrupted;
  await server.close();
  return exitCode.done;
}

/** The pages, and under `/api` the deployment. */
export function consoleFor(endpoint: string, send: typeof fetch): (request: Request) => Promise<Response> {
  const tenants = regionOf(endpoint) === undefined;
  const site = consoleSite({ api: API, endpoint, tenants });
  const base = endpoint.replace(/\/$/, '');
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith(`${API}/`))
      return (await site(request)) ?? dataOnly(refuse(404, 'not_found', 'no such page'));
    return dataOnly(await passOn(request, `${base}${pathname.slice(API.length)}${search}`, send));
  };
}

async function passOn(request: Request, url: string, send: typeof fetch): Promise<Response> {
  const { method } = request;
  const body =
    method === 'GET' || method === 'HEAD' ? undefined : new Uint8Array(await request.arrayBuffer());
  const asked = { method, headers: only(request.headers, sentOn), signal: AbortSignal.timeout(ANSWER_MS) };
  try {
    const response = await send(url, body === undefined || body.length === 0 ? asked : { ...asked, body });
    const headers = only(response.headers, [...sentBack, 'cache-control']);
    return new Response(response.body, { status: response.status, headers });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'no_credentials'
      ? refuse(503, 'no_credentials', 'there are no AWS credentials to sign with')
      : refuse(503, 'unreachable', 'the deployment did not answer');
  }
}

const only = (headers: Headers, names: readonly string[]): Headers =>
  new Headers(
    names.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value] as [string, string]];
    }),
  );

function refuse(status: 404 | 503, code: string, detail: string): Response {
  const headers = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  return new Response(JSON.stringify(problem(status, code, detail)), { status, headers });
}
