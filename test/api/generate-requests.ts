import fc from 'fast-check';
import type { ApiRequest } from './senders.ts';

/** Names and values that have broken parsers elsewhere. */
const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    ...['', ' ', '\u0000', '\ud800', '__proto__', 'constructor', 'toString', '../../etc/passwd', '%00', '%'],
    ...['{{7*7}}', '#{7*7}', "' OR 1=1 --", '<script>', 'null', 'NaN', '1e999', '-0', 'x'.repeat(5_000)],
  ),
);

const hostileNumber = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -1, 0.5, 1e-7, 1e21, Number.MAX_SAFE_INTEGER + 1, Number.MIN_VALUE),
);

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom(null, true, false, [], {}, [[]], { a: { b: {} } }),
  fc.jsonValue({ maxDepth: 6 }),
);

/** An object whose properties are mostly right, some hostile, some unknown; `required` ones are mostly there. */
function mostly(
  right: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  required: readonly string[] = [],
): fc.Arbitrary<object> {
  const entries = Object.entries(right).map(([name, value]) => [
    name,
    fc.oneof({ arbitrary: value, weight: 12 }, { arbitrary: hostileValue, weight: 1 }),
  ]);
  const shape: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(entries);
  const unknown = fc.dictionary(hostileText, hostileValue, { maxKeys: 2 });
  return fc
    .tuple(
      fc.oneof(
        { arbitrary: fc.record(shape, { requiredKeys: [...required] }), weight: 8 },
        { arbitrary: fc.record(shape, { requiredKeys: [] }), weight: 1 },
      ),
      fc.oneof({ arbitrary: fc.constant({}), weight: 6 }, { arbitrary: unknown, weight: 1 }),
    )
    .map(([known, more]) => ({ ...known, ...more }));
}

const limits = mostly({
  maxSteps: fc.integer({ min: 1, max: 13 }),
  maxCostUsd: fc.constantFrom(0.01, 0.02, 0.05, 1),
  maxTokens: fc.integer({ min: 1, max: 210_000 }),
});

const job = {
  agent: fc.oneof({ arbitrary: fc.constant('triage'), weight: 8 }, fc.constant('nobody')),
  input: fc.oneof(fc.string(), fc.dictionary(fc.string(), fc.jsonValue())),
  limits,
  metadata: fc.dictionary(hostileText, fc.jsonValue(), { maxKeys: 3 }),
};
const required = ['agent', 'input'];

const bodies = {
  jobs: fc.oneof(
    { arbitrary: mostly(job, required), weight: 6 },
    {
      arbitrary: mostly({ ...job, webhook: fc.webUrl({ validSchemes: ['https', 'http'] }) }, required),
      weight: 1,
    },
  ),
  approvals: mostly(
    { decision: fc.constantFrom('approve', 'deny'), reason: hostileText, inputHash: hostileText },
    ['decision'],
  ),
  extend: mostly({
    addSteps: fc.integer({ min: 1, max: 5 }),
    addUsd: fc.constantFrom(0.01, 0.5),
    addTokens: fc.integer({ min: 1 }),
    addSeconds: fc.integer({ min: 1, max: 100_000 }),
  }),
};

const anyBody = fc.oneof(...Object.values(bodies), hostileValue);

/** Text as it goes over the wire: right JSON, broken JSON, or anything. */
const payload = (body: fc.Arbitrary<unknown>): fc.Arbitrary<Pick<ApiRequest, 'text' | 'bytes'>> =>
  fc.oneof(
    { arbitrary: body.map((value) => ({ text: JSON.stringify(value) ?? '' })), weight: 20 },
    {
      arbitrary: fc
        .tuple(body, fc.nat(200))
        .map(([value, at]) => ({ text: (JSON.stringify(value) ?? '').slice(0, at) })),
      weight: 1,
    },
    { arbitrary: fc.uint8Array({ maxLength: 100 }).map((bytes) => ({ bytes })), weight: 1 },
    { arbitrary: fc.nat(3_000).map((depth) => ({ text: '{"a":'.repeat(depth) })), weight: 1 },
  );

const headerText = fc.oneof(
  { arbitrary: fc.constantFrom('k1', 'k2', 'k3'), weight: 3 },
  { arbitrary: fc.stringMatching(/^[!-~]{1,40}$/), weight: 6 },
  { arbitrary: fc.constantFrom('', 'k'.repeat(256), 'a b', '\u00e9'), weight: 1 },
);

const headers = fc.record(
  {
    'Idempotency-Key': headerText,
    'content-type': fc.oneof(
      { arbitrary: fc.constantFrom('application/json', 'application/json; charset=utf-8'), weight: 20 },
      fc.constantFrom('', 'text/plain', 'application/json; charset=utf-16', 'multipart/form-data', ';;'),
    ),
    'content-encoding': fc.oneof({ arbitrary: fc.constant('identity'), weight: 20 }, fc.constant('gzip')),
    'x-forwarded-host': headerText,
    authorization: fc.constant('Bearer canary-token'),
  },
  { requiredKeys: ['authorization', 'content-type'] },
);

const query = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom('limit', 'cursor', 'status', 'agent'), hostileText),
      fc.oneof(fc.constantFrom('1', '50', '200', '201', '0', 'MQ', 'W10'), hostileText),
    ),
    { maxLength: 3 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&'));

const escaped = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Requests, right and hostile, to every path and method; `jobIds` are jobs that are there. */
export function anyRequest(jobIds: readonly string[]): fc.Arbitrary<ApiRequest> {
  const id = fc.oneof(
    { arbitrary: fc.constantFrom(...jobIds), weight: 6 },
    { arbitrary: hostileText.map(escaped), weight: 1 },
  );
  const callId = fc.oneof(fc.constantFrom('call_1_0', 'call_1_1', 'call_0_0'), hostileText.map(escaped));
  const get = (path: fc.Arbitrary<string>) =>
    fc.record({
      path: fc.tuple(path, query).map(([at, given]) => (given === '' ? at : `${at}?${given}`)),
      headers,
    });
  const post = (path: fc.Arbitrary<string>, body: fc.Arbitrary<unknown>) =>
    fc
      .record({ path, headers, payload: payload(fc.oneof({ arbitrary: body, weight: 12 }, anyBody)) })
      .map(({ payload: sent, ...request }) => ({ method: 'POST', ...request, ...sent }));
  const tenant = fc.constantFrom('default', 'default', 'default', 'a');
  const method = fc.constantFrom('PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'GET', 'POST');
  const path = fc.oneof(
    fc.constantFrom('/jobs', '/agents', '/openapi.json', '/', '/jobs/', '//jobs', '/health'),
    hostileText.map((text) => `/${escaped(text)}`),
  );
  const request: fc.Arbitrary<ApiRequest> = fc.oneof(
    { arbitrary: post(fc.constant('/jobs'), bodies.jobs), weight: 4 },
    post(
      id.map((job) => `/jobs/${job}/cancel`),
      fc.constant({}),
    ),
    post(
      id.map((job) => `/jobs/${job}/extend`),
      bodies.extend,
    ),
    post(
      fc.tuple(id, callId).map(([job, call]) => `/jobs/${job}/approvals/${call}`),
      bodies.approvals,
    ),
    get(fc.tuple(id, fc.constantFrom('', '/steps', '/messages')).map(([job, part]) => `/jobs/${job}${part}`)),
    get(fc.constantFrom('/agents', '/openapi.json')),
    fc.record({ method, path, headers }),
  );
  return fc.tuple(request, tenant).map(([made, whose]) => ({ ...made, tenant: whose }));
}
