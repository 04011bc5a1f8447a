import { describe, expect, it } from 'vitest';
import { createApi } from '../../src/api/app.ts';
import type { Identified } from '../../src/api/identity.ts';
import { createApiHandler } from '../../src/api/lambda-handler.ts';
import { apiFiles } from '../../src/api-files.ts';
import { identifyOnAws } from '../../src/aws-identity.ts';
import { apiSettings, readSettings } from '../../src/settings.ts';
import { worldGiven } from './given.ts';
import { eventOf, roleOf, sessionOf } from './senders.ts';

const stored = { TABLE_NAME: 'treadle', QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/q' };
const settingsOf = (environment: object) => readSettings(apiSettings, { ...stored, ...environment });

const request = new Request('https://api/agents', { headers: { 'x-treadle-tenant': 'b', tenant: 'b' } });
const identify = (environment: object, authorizer?: object): Identified =>
  identifyOnAws(settingsOf(environment))(request, { event: eventOf({ path: '/agents' }, authorizer) });

const iam = (userArn: unknown) => ({ iam: { userArn } });
const jwt = (claims: object) => ({ jwt: { claims, scopes: null } });
const map = { TENANT_ROLES: JSON.stringify({ [roleOf('a')]: 'tenant-a' }) };

const everything = ['read', 'submit', 'approve', 'spend', 'control', 'control_all'];
const granted = (identified: Identified): unknown =>
  identified.type === 'identity'
    ? [identified.identity.tenant, [...identified.identity.permissions]]
    : [identified.status];

describe('a caller with IAM', () => {
  it.each([
    ['a role', sessionOf('a')],
    ['a user', 'arn:aws:iam::123456789012:user/somebody'],
    ['the account', 'arn:aws:iam::123456789012:root'],
  ])('is the tenant default without a map: %s', (_, arn) => {
    expect(granted(identify({}, iam(arn)))).toEqual(['default', everything]);
  });

  it.each([
    ['by its session', sessionOf('a'), 'tenant-a'],
    ['by itself', 'arn:aws:iam::123456789012:role/a', 'tenant-a'],
    ['unmapped', sessionOf('b'), undefined],
    ['of another account', sessionOf('a').replace('123456789012', '210987654321'), undefined],
    ['whose name only ends so', sessionOf('team-a'), undefined],
    ['whose name differs in case', sessionOf('A'), undefined],
    ['of no name', 'arn:aws:sts::123456789012:assumed-role//a', undefined],
    ['that is a user', 'arn:aws:iam::123456789012:user/a', undefined],
    ['that is federated', 'arn:aws:sts::123456789012:federated-user/a', undefined],
  ])('with a map, a role %s', (_, arn, tenant) => {
    const expected = tenant === undefined ? [403] : [tenant, everything.slice(0, -1)];
    expect(granted(identify(map, iam(arn)))).toEqual(expected);
  });

  it('with a map may stop everything only as a role that is listed', () => {
    const settings = { ...map, CONTROL_ROLES: JSON.stringify([roleOf('a')]) };
    expect(granted(identify(settings, iam(sessionOf('a'))))).toEqual(['tenant-a', everything]);
    expect(
      granted(identify({ ...map, CONTROL_ROLES: JSON.stringify([roleOf('b')]) }, iam(sessionOf('a')))),
    ).toEqual(['tenant-a', everything.slice(0, -1)]);
  });
});

describe('a caller with a JWT', () => {
  const claim = { TENANT_CLAIM: 'custom:tenant' };
  it.each([
    ['treadle/read', ['read']],
    ['treadle/submit', ['submit', 'read']],
    ['openid treadle/approve treadle/spend', ['approve', 'spend']],
    ['treadle/control', ['control']],
    ['treadle/control_all', ['control_all']],
    ['treadle/everything constructor', []],
    ['', []],
  ])('with the scopes "%s" may %j', (scope, permissions) => {
    expect(granted(identify(claim, jwt({ scope, sub: 'me', 'custom:tenant': 'a' })))).toEqual([
      'a',
      permissions,
    ]);
  });

  it.each([
    [{ scp: 'treadle/read other' }, ['read']],
    [{ scp: '[treadle/read treadle/approve]' }, ['read', 'approve']],
    [{ scope: 'treadle/spend', scp: 'treadle/read' }, ['spend', 'read']],
    [{ scp: ['treadle/read'] }, []],
  ])('whose issuer writes its scopes as %j may %j', (claims, permissions) => {
    const known = identify(claim, jwt({ ...claims, sub: 'me', 'custom:tenant': 'a' }));
    expect(granted(known)).toEqual(['a', permissions]);
  });

  it.each([
    ['without the claim', claim, { scope: 'treadle/read' }],
    ['with an empty one', claim, { 'custom:tenant': '' }],
    ['with one that is no tenant', claim, { 'custom:tenant': 'a b' }],
    ['with a list', claim, { 'custom:tenant': ['a'] }],
    ['where no claim is set', {}, { 'custom:tenant': 'a' }],
    ['whose claim is inherited', { TENANT_CLAIM: 'constructor' }, {}],
  ])('%s is refused', (_, settings, claims) => {
    expect(granted(identify(settings, jwt(claims)))).toEqual([403]);
  });
});

it.each([
  ['no authorizer', undefined],
  ['an empty authorizer', {}],
  ['an empty role', iam('')],
  ['a role that is no text', iam(7)],
  ['no claims', { jwt: {} }],
  ['a Lambda authorizer', { lambda: { tenant: 'a' } }],
])('nobody calls with %s', async (_, authorizer) => {
  expect(granted(identify({}, authorizer))).toEqual([403]);
  const api = createApi({
    files: apiFiles,
    world: await worldGiven('nothing'),
    identify: identifyOnAws(settingsOf({})),
  });
  const result = await createApiHandler(api)(eventOf({ path: '/agents' }, authorizer));
  expect(result.statusCode).toBe(403);
  expect(JSON.parse(result.body)).toMatchObject({ type: 'urn:treadle:not_identified' });
});

it('names the permission that is missing', async () => {
  const identifyBy = identifyOnAws(settingsOf({ TENANT_CLAIM: 'tenant' }));
  const handler = createApiHandler(
    createApi({ files: apiFiles, world: await worldGiven('stopped'), identify: identifyBy }),
  );
  const reader = jwt({ tenant: 'default', scope: 'treadle/read' });
  const wanted: readonly (readonly [string, string, string])[] = [
    ['POST', '/jobs', 'submit'],
    ['POST', '/jobs/x/cancel', 'submit'],
    ['POST', '/jobs/x/approvals/call_1_0', 'approve'],
    ['POST', '/jobs/x/extend', 'spend'],
  ];
  for (const [method, path, permission] of wanted) {
    const result = await handler(eventOf({ method, path, body: {} }, reader));
    expect([path, result.statusCode, JSON.parse(result.body).detail]).toEqual([
      path,
      403,
      `this needs the permission ${permission}`,
    ]);
  }
  expect((await handler(eventOf({ path: '/agents' }, reader))).statusCode).toBe(200);
  const approver = jwt({ tenant: 'default', scope: 'treadle/approve' });
  expect((await handler(eventOf({ path: '/agents' }, approver))).statusCode).toBe(403);
});

it.each([
  ['TENANT_ROLES', '{'],
  ['TENANT_ROLES', '[]'],
  ['TENANT_ROLES', '{"a":"b"}'],
  ['TENANT_ROLES', `{"${roleOf('a')}":"a b"}`],
  ['CONTROL_ROLES', '{}'],
  ['TENANT_CLAIM', ''],
])('a wrong setting %s of %s fails at start, by its name', (name, value) => {
  expect(() => settingsOf({ [name]: value })).toThrow(name);
});

it('takes a body as text, and answers what is no request with 400', async () => {
  const api = createApi({
    files: apiFiles,
    world: await worldGiven('nothing'),
    identify: identifyOnAws(settingsOf({})),
  });
  const handler = createApiHandler(api);
  const event = eventOf({ method: 'POST', path: '/jobs', body: {} }, iam(sessionOf('a')));
  const body = JSON.stringify({ agent: 'triage', input: 'ก' });
  const made = await handler({ ...event, body, isBase64Encoded: false });
  expect(JSON.parse(made.body)).toMatchObject({ input: 'ก', tenant: 'default' });
  const trace = await handler({
    ...event,
    requestContext: { ...event.requestContext, http: { method: 'TRACE' } },
  });
  expect([trace.statusCode, trace.headers['content-type']]).toEqual([400, 'application/problem+json']);
  const get = await handler({
    ...event,
    rawPath: '/agents',
    requestContext: { ...event.requestContext, http: { method: 'GET' } },
  });
  expect(get.statusCode).toBe(200);
});
