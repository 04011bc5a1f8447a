import fc from 'fast-check';
import type { Route } from '../../src/api/route.ts';
import { routes } from '../../src/api/routes.ts';
import { fileBodies, jsonBodies } from './generate-bodies.ts';
import { hostileText, hostileValue } from './hostile.ts';
import type { ApiRequest } from './senders.ts';

/** What is there to be asked for. Names that come first are asked for most. */
export interface Known {
  readonly agents: readonly string[];
  readonly jobs: readonly string[];
  /** Those among them that may go on. */
  readonly stopped: readonly string[];
  readonly batches: readonly string[];
  readonly letters: readonly string[];
  /** Calls that wait or waited for a person. */
  readonly calls: readonly { readonly jobId: string; readonly callId: string }[];
}

/** A request, and the route that it is meant for. */
export interface FuzzRequest extends ApiRequest {
  readonly operationId?: string;
}

const escaped = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Now and then, how a request is made wrong on purpose. */
const rarely = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, weight = 14): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: rare, weight: 1 });

/** One of a list, half the time the first. */
const favourite = (list: readonly string[]): fc.Arbitrary<string> =>
  list.length === 0 ? fc.constant('none') : fc.oneof(fc.constant(list[0] ?? ''), fc.constantFrom(...list));

/** Operations that do something to jobs that were stopped only. */
const onStopped: ReadonlySet<string> = new Set(['extendJob', 'retryJob']);

function idsFor({ path, operationId }: Route, known: Known): fc.Arbitrary<Readonly<Record<string, string>>> {
  const hostile = fc.oneof(fc.constantFrom('none', 'job_none'), hostileText.map(escaped));
  if (path.includes('{callId}') && known.calls.length > 0) {
    const pair = fc.constantFrom(...known.calls).map(({ jobId, callId }) => ({ id: jobId, callId }));
    return rarely(pair, fc.record({ id: hostile, callId: hostile }), 8);
  }
  const jobs = onStopped.has(operationId) ? [...known.stopped, ...known.jobs] : known.jobs;
  const list = path.startsWith('/jobs') ? jobs : path.startsWith('/batches') ? known.batches : known.letters;
  return fc.record({ id: rarely(favourite(list), hostile, 8), callId: hostile });
}

function pathFor(route: Route, known: Known): fc.Arbitrary<string> {
  const { path } = route;
  if (!path.includes('{')) return fc.constant(path);
  return idsFor(route, known).map((ids) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ''),
  );
}

/** Values that a query parameter takes, by its name. */
const rightValues = (known: Known): Readonly<Record<string, fc.Arbitrary<string>>> => ({
  limit: fc.constantFrom('1', '2', '50', '200'),
  status: fc.constantFrom('queued', 'running', 'stopped', 'succeeded'),
  stop: fc.constantFrom('max_steps', 'completed', 'cancelled'),
  agent: favourite(known.agents),
  batch: rarely(favourite(known.batches), fc.constant('batch_none'), 2),
  by: fc.constantFrom('tenant', 'agent', 'day', 'batch'),
  format: fc.constantFrom('jsonl', 'csv'),
});

/** Parameters without which a route answers nothing. */
const dueParameters: ReadonlySet<string> = new Set(['by']);

function queryFor(route: Route, known: Known): fc.Arbitrary<string> {
  const right = rightValues(known);
  const names = Object.keys(route.query.shape).filter((name) => name in right);
  if (route.body !== undefined) return rarely(fc.constant(''), wrongQuery, 30);
  const optional = Object.fromEntries(names.map((name) => [name, right[name] ?? fc.constant('')]));
  const requiredKeys = names.filter((name) => dueParameters.has(name));
  const some = fc.record(optional, { requiredKeys }).map((given) =>
    Object.entries(given)
      .map(([name, value]) => `${name}=${value}`)
      .join('&'),
  );
  return rarely(some, wrongQuery, 6);
}

const wrongQuery = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom('limit', 'cursor', 'status', 'by', 'format'), hostileText),
      fc.oneof(fc.constantFrom('1', '201', '0', 'W10'), hostileText),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&'));

type Payload = Pick<ApiRequest, 'text' | 'bytes'> & { readonly type?: string; readonly query?: string };

/** Text as it goes over the wire: right JSON, a file, broken JSON, too much, or anything. */
function payloadFor(route: Route, known: Known): fc.Arbitrary<Payload> {
  const { body } = route;
  if (body === undefined) return fc.constant({});
  const right = jsonBodies(known)[route.operationId];
  if (right === undefined) throw new Error(`no bodies are made for ${route.operationId}`);
  const makesBatch = 'agent' in route.query.shape;
  const files = fileBodies(known, makesBatch);
  const json = right.map((value) => ({ text: JSON.stringify(value) ?? '' }));

  const anything: fc.Arbitrary<Payload> = fc.oneof(
    hostileValue.map((value) => ({ text: JSON.stringify(value) ?? '' })),
    fc.tuple(json, fc.nat(200)).map(([{ text }, at]) => ({ text: text.slice(0, at) })),
    fc.uint8Array({ maxLength: 100 }).map((bytes) => ({ bytes })),
    fc.nat(3_000).map((depth) => ({ text: '{"a":'.repeat(depth) })),
  );
  const tooMany = Array.from({ length: 5_001 }, () => 1);
  const tooLarge = fc.constant(
    body.fileTypes === undefined
      ? { text: `{}${' '.repeat(body.maxBytes)}` }
      : { text: JSON.stringify({ ...(makesBatch ? { agent: known.agents[0] } : {}), rows: tooMany }) },
  );
  return fc.oneof(
    { arbitrary: json, weight: body.fileTypes === undefined ? 20 : 12 },
    ...(body.fileTypes === undefined ? [] : [{ arbitrary: files, weight: 8 }]),
    { arbitrary: anything, weight: 3 },
    { arbitrary: tooLarge, weight: 2 },
  );
}

/** Some of so many again and again, so that they stand for another body, or for the same. */
const keys = (many: number) =>
  fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: many }).map((n) => `k${n}`), weight: 9 },
    { arbitrary: fc.stringMatching(/^[!-~]{1,40}$/), weight: 5 },
    { arbitrary: fc.constantFrom('', 'k'.repeat(256), 'a b', '\u00e9'), weight: 1 },
  );

function headersFor(route: Route, type: string): fc.Arbitrary<Record<string, string>> {
  const wrongTypes = fc.constantFrom(
    'text/plain',
    'application/json; charset=utf-16',
    'multipart/form-data',
    ';;',
  );
  const strange = fc.record(
    { 'content-encoding': fc.constant('gzip'), 'x-forwarded-host': hostileText.map(escaped) },
    { requiredKeys: [] },
  );
  return fc
    .record({
      common: fc.constant({ authorization: 'Bearer canary-token' }),
      type: route.body === undefined ? fc.constant('') : rarely(fc.constant(type), wrongTypes),
      key:
        'Idempotency-Key' in route.headers.shape
          ? fc.option(keys(route.operationId === 'createJob' ? 6 : 2))
          : fc.constant(null),
      origin: rarely(fc.constant(''), fc.constant('http://evil.example'), 10),
      strange: rarely(fc.constant({}), strange, 30),
    })
    .map(({ common, type: sent, key, origin, strange: more }) => ({
      ...common,
      ...(sent === '' ? {} : { 'content-type': sent }),
      ...(key === null ? {} : { 'Idempotency-Key': key }),
      ...(origin === '' ? {} : { origin }),
      ...more,
    }));
}

function requestFor(route: Route, known: Known): fc.Arbitrary<FuzzRequest> {
  return payloadFor(route, known).chain(({ type = 'application/json', query, ...payload }) =>
    fc
      .record({
        path: pathFor(route, known),
        query: query === undefined ? queryFor(route, known) : fc.constant(query),
        headers: headersFor(route, type),
        tenant: rarely(fc.constant('default'), fc.constant('a')),
      })
      .map(({ path, query: search, ...rest }) => ({
        ...{ operationId: route.operationId, method: route.method, ...rest, ...payload },
        path: search === '' ? path : `${path}?${search}`,
      })),
  );
}

const strangers: fc.Arbitrary<FuzzRequest> = fc.record({
  method: fc.constantFrom('PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'GET', 'POST'),
  path: fc.oneof(
    fc.constantFrom(
      '/jobs',
      '/agents',
      '/openapi.json',
      '/',
      '/jobs/',
      '//jobs',
      '/health',
      '/batches/x/y/z',
    ),
    hostileText.map((text) => `/${escaped(text)}`),
  ),
  headers: fc.constant({ authorization: 'Bearer canary-token' }),
});

/** What ends things is asked for less, and what needs them in a rare state more. */
const weights: Readonly<Record<string, number>> = {
  ...{ cancelBatch: 2, closeBatch: 2, deleteJob: 2, cancelJob: 2 },
  ...{ createBatch: 6, createJob: 6, addMessage: 6, extendBatch: 6, extendJob: 6, retryJob: 6, addRows: 6 },
};

/** Requests, right and hostile, to every route of the table, or to those that are wanted, and some to none of them. */
export function anyRequest(
  known: Known,
  wanted: (operationId: string) => boolean = () => true,
): fc.Arbitrary<FuzzRequest> {
  const weighted = routes
    .filter(({ operationId }) => wanted(operationId))
    .map((route) => ({
      arbitrary: requestFor(route, known),
      weight: weights[route.operationId] ?? 3,
    }));
  return fc.oneof(...weighted, { arbitrary: strangers, weight: 3 });
}
