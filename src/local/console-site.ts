import { problem } from '../api/problem.ts';
import { CONSOLE_PAGE, type ConsoleAssets, loadConsole } from '../bundle-console.ts';
import { TerminalError } from '../core/errors.ts';
import type { RequestHandler } from './api-server.ts';
import { dataOnly } from './data-only.ts';

/** What the page is told about the deployment that it shows. */
export interface ConsoleFacts {
  /** Where the API is, as a path of this server: empty, or `/api`. */
  readonly api: string;
  /** The address of the deployment, for people. */
  readonly endpoint: string;
  /** Whether the caller names its tenant, as it may locally. */
  readonly tenants: boolean;
}

/** Answers what belongs to the console; undefined for every other request. */
export type Site = (request: Request) => Promise<Response | undefined>;

/** Where the console begins, on whatever server. */
export const CONSOLE_PATH = '/console/';

/** Nothing but our own script, style and API, whatever a ticket says; nobody may frame a page that approves refunds. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const safeHeaders = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/**
 * The console as static files under `/console/`: every other path there is its page, so that a link into it can be
 * opened anywhere. The assets are read, or bundled, at the first request.
 */
export function consoleSite(facts: ConsoleFacts, load: () => Promise<ConsoleAssets> = loadConsole): Site {
  let assets: Promise<ConsoleAssets> | undefined;
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === '/' && wantsPage(request)) return moved(CONSOLE_PATH + search);
    if (pathname === '/console') return moved(CONSOLE_PATH + search);
    if (!pathname.startsWith(CONSOLE_PATH)) return undefined;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const said = JSON.stringify(problem(405, 'method_not_allowed', 'the console takes GET, HEAD'));
      return answer(request, 405, said, 'application/problem+json');
    }
    assets ??= load();
    const files = await assets.catch((error: unknown) => {
      // The next request tries again: whoever changes the console mends a source and loads anew.
      assets = undefined;
      return error instanceof TerminalError ? error : Promise.reject(error);
    });
    if (files instanceof TerminalError) {
      const said = JSON.stringify(problem(500, files.code, files.message));
      return answer(request, 500, said, 'application/problem+json');
    }
    const [folder, name = ''] = pathname.slice(CONSOLE_PATH.length).split('/');
    if (folder !== 'assets') {
      const page = new TextDecoder().decode(files.get(CONSOLE_PAGE));
      return answer(request, 200, pageOf(page, facts), 'text/html; charset=utf-8');
    }
    const asset = files.get(name);
    if (asset === undefined) return answer(request, 404, 'there is no such file', 'text/plain');
    return answer(request, 200, new Uint8Array(asset), types[name.split('.').pop() ?? ''] ?? 'text/plain');
  };
}

/** The API and its console on one server. */
export function withConsole(api: RequestHandler): RequestHandler {
  const site = consoleSite({ api: '', endpoint: '', tenants: true });
  return {
    fetch: async (request, environment) =>
      (await site(request)) ?? dataOnly(await api.fetch(request, environment)),
  };
}

const wantsPage = (request: Request): boolean =>
  request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html');

const moved = (location: string): Response =>
  new Response(null, { status: 302, headers: { ...safeHeaders, location } });

function answer(
  { method }: Request,
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
): Response {
  const headers = { ...safeHeaders, 'content-type': type };
  return new Response(method === 'HEAD' ? null : body, { status, headers });
}

function pageOf(page: string, { api, endpoint, tenants }: ConsoleFacts): string {
  return page
    .replace('{api}', () => escaped(api))
    .replace('{endpoint}', () => escaped(endpoint))
    .replace('{tenants}', () => String(tenants));
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
