import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { allPermissions, type Identify, tenantPattern } from '../api/identity.ts';
import { problem } from '../api/problem.ts';
import { TerminalError } from '../core/errors.ts';
import { hasCode } from './folder-lock.ts';

/** What answers requests: an API, or one with the console in front of it. */
export interface RequestHandler {
  readonly fetch: (request: Request, environment?: object) => Response | Promise<Response>;
}

export interface ApiServerOptions {
  readonly api: RequestHandler;
  /** 0 is any free one. */
  readonly port: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** What writes the answers in place of a model, in a few words: every response says so. @default a model does */
  readonly answers?: string;
}

export interface ApiServer {
  readonly port: number;
  /** `http://127.0.0.1:8787` */
  readonly url: string;
  /** Lets the answers under way finish, for at most a second. */
  readonly close: () => Promise<void>;
}

/** Locally everybody may do everything, as the tenant that `x-treadle-tenant` names. */
export const identifyLocally: Identify = (request) => {
  const tenant = request.headers.get('x-treadle-tenant') ?? 'default';
  if (!tenantPattern.test(tenant)) {
    const detail = 'x-treadle-tenant: must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -';
    return { type: 'refused', status: 400, detail };
  }
  return { type: 'identity', identity: { tenant, who: 'local', permissions: allPermissions } };
};

const CLOSE_MS = 1_000;

/** By this header a caller learns that no model is asked here, whatever it asks for. */
export const ANSWERS_HEADER = 'x-treadle-answers';
const MAX_ANSWERS_LENGTH = 200;

/**
 * The API on this machine only. It asks for no credentials, so it refuses what a web page can send: any other origin than
 * its own, and any host name but this machine's, which a page could have pointed here.
 */
export async function startApiServer({
  api,
  port,
  host = '127.0.0.1',
  answers,
}: ApiServerOptions): Promise<ApiServer> {
  // Other modules of the process must go on with the Request and Response of Node.
  const listener = getRequestListener((request, environment) => api.fetch(request, environment), {
    overrideGlobalObjects: false,
    errorHandler: () =>
      new Response(...refusal(400, 'invalid_request', 'the request is no HTTP of this server')),
  });
  const said = answers?.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_ANSWERS_LENGTH);
  const server = createServer((request, response) => {
    if (said !== undefined) response.setHeader(ANSWERS_HEADER, said);
    // A target with a host of its own, as a proxy gets it, is not meant for this server.
    const aimed = request.url?.startsWith('/') === true;
    if (!aimed || !isOurs(request.headers, request.socket.localPort)) return refuseForeign(response);
    return void listener(request, response);
  });
  const taken = await listenOn(server, port, host);
  return { port: taken, url: `http://${host}:${taken}`, close: () => close(server) };
}

const names = ['127.0.0.1', 'localhost', '[::1]'];

function isOurs({ host = '', origin }: IncomingHttpHeaders, port = 0): boolean {
  const known = names.some(
    (name) => host.toLowerCase() === `${name}:${port}` || (port === 80 && host === name),
  );
  return known && (origin === undefined || origin === `http://${host}`);
}

function refusal(status: 400 | 403, code: string, detail: string): [string, ResponseInit] {
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  };
  return [JSON.stringify(problem(status, code, detail)), { status, headers }];
}

function refuseForeign(response: ServerResponse): void {
  const detail = 'this server answers only under its own address, and no other origin';
  const [body, { status = 403, headers }] = refusal(403, 'foreign', detail);
  response.writeHead(status, { ...(headers as Record<string, string>), connection: 'close' }).end(body);
}

function listenOn(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(portTaken(error, port)));
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'));
      else resolve(address.port);
    });
  });
}

/** Why a server did not start, for a person where it is the port. */
export function portTaken(error: unknown, port: number): unknown {
  if (!hasCode(error, 'EADDRINUSE')) return error;
  const why = `port ${port} is taken by another program; choose another one with --port, or any free one with --port 0`;
  return new TerminalError('port_taken', why, { cause: error });
}
function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    server.close((error) => {
      clearTimeout(cut);
      if (error) reject(error);
      else resolve();
    });
    server.closeIdleConnections();
  });
}
