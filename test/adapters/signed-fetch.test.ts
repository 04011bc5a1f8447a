import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Credentials, fetchFor, regionOf } from '../../src/adapters/signed-fetch.ts';
import { createClient } from '../../src/client.ts';

const endpoint = 'https://a1b2c3.execute-api.eu-central-1.amazonaws.com';
const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI', sessionToken: 'session' };

interface Sent {
  readonly url: URL;
  readonly init: RequestInit & { readonly headers: Headers };
}

/** A server that takes everything, and what it was sent. */
function taking(): { readonly sent: Sent[]; readonly fetch: typeof fetch } {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (input, init) => {
      sent.push({ url: new URL(String(input)), init: init as Sent['init'] });
      return Response.json({ id: 'job_1', items: [], cursor: null });
    },
  };
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The signature that AWS would work out for a request, from the rules it publishes. */
function signatureOf({ url, init }: Sent, secret: string): string {
  const authorization = String(init.headers.get('authorization'));
  const [, scope = '', names = ''] =
    /Credential=[^/]+\/(\S+), SignedHeaders=(\S+),/.exec(authorization) ?? [];
  const headerOf = (name: string): string => (name === 'host' ? url.host : (init.headers.get(name) ?? ''));
  const body = init.body === undefined ? '' : Buffer.from(init.body as Uint8Array).toString('utf8');
  const canonical = [
    init.method,
    url.pathname,
    url.search.slice(1).split('&').sort().join('&'),
    ...names.split(';').map((name) => `${name}:${headerOf(name)}`),
    '',
    names,
    hash(body),
  ].join('\n');
  const [day = '', region = '', service = ''] = scope.split('/');
  const date = String(init.headers.get('x-amz-date'));
  const text = ['AWS4-HMAC-SHA256', date, scope, hash(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return createHmac('sha256', key).update(text).digest('hex');
}

it('signs what the client sends to an API of AWS: path, query, headers and body', async () => {
  const { sent, fetch } = taking();
  const signing = fetchFor(endpoint, { credentials: async () => keys, fetch });
  const client = createClient({ endpoint, fetch: signing });
  await client.submit({ agent: 'triage', input: 'Größe? 100 %' }, { idempotencyKey: 'order-4711' });
  await client.jobs({ agent: "it's (new) +1*", limit: 5 });
  expect(sent.map(({ init }) => init.method)).toEqual(['POST', 'GET']);
  for (const one of sent) {
    const authorization = String(one.init.headers.get('authorization'));
    expect(authorization).toContain('/eu-central-1/execute-api/aws4_request');
    expect(authorization).toContain(`Signature=${signatureOf(one, keys.secretAccessKey)}`);
    expect(authorization).toMatch(/SignedHeaders=[^,]*host/);
    expect(one.init.headers.get('x-amz-security-token')).toBe('session');
    expect(one.init.redirect).toBe('error');
  }
  expect(String(sent[0]?.init.headers.get('authorization'))).toMatch(/SignedHeaders=[^,]*idempotency-key/);
  expect(sent[1]?.url.search).toBe('?agent=it%27s%20%28new%29%20%2B1%2A&limit=5');
});

it('asks for credentials once, again when they are about to expire, and again after a failure', async () => {
  const { fetch } = taking();
  const answers: (Credentials | Error)[] = [
    new Error('not signed in'),
    { ...keys, expiration: new Date(Date.now() + 60_000) },
    keys,
  ];
  let asked = 0;
  const credentials = async (): Promise<Credentials> => {
    const answer = answers[asked];
    asked += 1;
    if (answer === undefined || answer instanceof Error) throw answer;
    return answer;
  };
  const signing = fetchFor(endpoint, { credentials, fetch });
  await expect(signing(endpoint)).rejects.toMatchObject({ code: 'no_credentials' });
  for (let n = 0; n < 4; n += 1) await signing(endpoint);
  expect(asked).toBe(3);
});

it.each([
  ['http://127.0.0.1:8787', undefined],
  ['https://api.example.com', undefined],
  ['https://execute-api.eu-west-1.amazonaws.com.evil.example', undefined],
  ['https://evil.example/x.execute-api.eu-west-1.amazonaws.com', undefined],
  ['http://a1.execute-api.eu-west-1.amazonaws.com', undefined],
  ['https://a1.execute-api.eu-west-1.amazonaws.com/prod', 'eu-west-1'],
  ['https://a1-vpce-0f.execute-api.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
  ['https://a1.execute-api.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
])('takes the region of %s for %s', (address, region) => {
  expect(regionOf(address)).toBe(region);
});

it('sends requests to every other server as they are', async () => {
  const { sent, fetch } = taking();
  const credentials = () => Promise.reject(new Error('nobody asks for them'));
  const client = createClient({
    endpoint: 'http://127.0.0.1:1',
    fetch: fetchFor('http://127.0.0.1:1', { credentials, fetch }),
  });
  await client.agents();
  expect(new Headers(sent[0]?.init.headers).has('authorization')).toBe(false);
});

it('signs nothing for another server than the one it was made for', async () => {
  const { sent, fetch } = taking();
  const credentials = () => Promise.reject(new Error('nobody asks for them'));
  await fetchFor(endpoint, { credentials, fetch })('https://evil.example/jobs');
  expect(sent).toHaveLength(1);
});
