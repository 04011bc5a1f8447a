import { type Context, Hono } from 'hono';
import { describe } from '../app/handle.ts';
import type { World } from '../app/world.ts';
import { RetryableError, TerminalError } from '../core/errors.ts';
import { type Answer, badRequest, notFound, refuse, unavailable } from './answer.ts';
import type { ApiFiles } from './files.ts';
import type { Identify } from './identity.ts';
import { problem } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Route, RouteContext } from './route.ts';
import { routes as allRoutes } from './routes.ts';

export interface ApiOptions {
  readonly world: World;
  readonly identify: Identify;
  /** Reads and writes the formats of files. */
  readonly files: ApiFiles;
  /** What is wrong with the address of a webhook, as words that follow it. @default nothing */
  readonly webhookProblem?: (url: string) => string | undefined;
  /** @default the whole table */
  readonly routes?: readonly Route[];
}

/** The HTTP API over a world: one route table, behind whatever server hands the requests on. */
export function createApi(options: ApiOptions): Hono {
  const routes = options.routes ?? allRoutes;
  const app = new Hono();
  for (const route of routes) {
    app.on(route.method, honoPath(route.path), (c) =>
      serve(options, c, route.path, (identity) =>
        handle(
          { ...options, identity, routes, webhookProblem: options.webhookProblem ?? noProblem },
          route,
          c,
        ),
      ),
    );
  }
  for (const [path, methods] of methodsByPath(routes)) {
    const allow = methods.join(', ');
    const answer = refuse(problem(405, 'method_not_allowed', `${path} takes ${allow}`), { allow });
    app.all(honoPath(path), (c) => serve(options, c, path, async () => answer));
  }
  app.notFound((c) => serve(options, c, 'none', async () => notFound('route')));
  return app;
}

const noProblem = (): undefined => undefined;

/** `/jobs/{id}` in the words of the router. */
const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

function methodsByPath(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>();
  for (const { path, method } of routes) {
    const known = paths.get(path) ?? [];
    paths.set(path, [...known, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
  }
  return paths;
}

/** Answers one request whatever happens, and logs one line of it: nothing that the caller wrote. */
async function serve(
  { world, identify }: ApiOptions,
  c: Context,
  route: string,
  answer: (identity: RouteContext['identity']) => Promise<Answer>,
): Promise<Response> {
  const startedMs = world.clock.now();
  const identified = identify(c.req.raw, c.env);
  const tenant = identified.type === 'identity' ? identified.identity.tenant : null;
  const answered =
    identified.type === 'identity'
      ? await answer(identified.identity).catch((error: unknown) => failure(world, error))
      : refuse(problem(identified.status, 'not_identified', identified.detail));
  const ms = world.clock.now() - startedMs;
  world.log('info', 'request', { method: methodOf(c), route, status: answered.status, ms, tenant });
  const { status, body, contentType } = answered;
  return new Response(c.req.method === 'HEAD' ? null : body, {
    status,
    headers: {
      ...answered.headers,
      ...(contentType === null ? {} : { 'content-type': contentType }),
      'cache-control': 'no-store',
    },
  });
}

/** A method may be any word. */
const methodOf = (c: Context): string => (/^[A-Z]{1,10}$/.test(c.req.method) ? c.req.method : 'other');

async function handle(context: RouteContext, route: Route, c: Context): Promise<Answer> {
  if (!context.identity.permissions.has(route.permission)) {
    return refuse(problem(403, 'forbidden', `this needs the permission ${route.permission}`));
  }
  const query = singleValues(new URL(c.req.url).searchParams);
  if (typeof query === 'string') return badRequest([{ name: query, message: 'is given twice' }]);
  const body = route.body === undefined ? undefined : await readBody(c.req.raw, route.body);
  if (body?.type === 'refused') return body.answer;
  const header = (name: string): string | undefined => c.req.raw.headers.get(name) ?? undefined;
  return route.respond(context, { params: c.req.param(), query, header, body });
}

/** Query parameters by name; the name of one that is given twice. */
function singleValues(parameters: URLSearchParams): Readonly<Record<string, string>> | string {
  const values = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (values.has(name)) return name;
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

/** What use cases refuse because of what they were asked. */
const refusedCodes: ReadonlySet<string> = new Set(['unknown_agent', 'unknown_model', 'invalid_metadata']);

/** Errors whose words tell the caller what to do: the change may have been made. */
const tellingCodes: ReadonlySet<string> = new Set(['unknown_outcome', 'busy']);

function failure(world: World, error: unknown): Answer {
  if (error instanceof TerminalError && refusedCodes.has(error.code)) {
    return refuse(problem(400, error.code, error.message, [{ name: 'body', message: error.message }]));
  }
  world.log('error', 'a request could not be handled', describe(error));
  if (error instanceof RetryableError) {
    return unavailable(
      tellingCodes.has(error.code) ? error.message : 'storage or queue did not answer in time; try again',
    );
  }
  return refuse(problem(500, 'internal', 'the request could not be handled; the log says why'));
}
