import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/adapters/public-address.ts';
import { createWebhook, type WebhookOptions, webhookUrlProblem } from '../../src/adapters/webhook.ts';
import { listen } from '../../src/local/local-server.ts';
import type { Notice } from '../../src/ports.ts';

const pem = (name: string): string =>
  readFileSync(new URL(`../fixtures/https/${name}.pem`, import.meta.url), 'utf8');
const ca = pem('cert');
const secret = `whsec_${Buffer.from('a key that nobody shall see').toString('base64')}`;
const notice: Notice = {
  id: 'ntc_1',
  type: 'job.ended',
  tenant: 'acme',
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  data: { jobId: 'job_7', status: 'succeeded', note: 'grüße' },
};

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Record<string, string>;
  readonly body: string;
}

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
  server = undefined;
});

/** A receiver on the loopback, under the name `hooks.example`. */
async function aReceiver(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const seen: Seen[] = [];
  const connections: number[] = [];
  server = createServer({ cert: ca, key: pem('key') }, async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, String(v)]));
    seen.push({ method: request.method, url: request.url, headers, body });
    answer(response, request);
  });
  server.on('connection', () => connections.push(seen.length));
  const port = await listen(server);
  return { port, url: `https://hooks.example:${port}/in?token=letmein`, seen, connections };
}

const loopback = async () => [{ address: '127.0.0.1', family: 4 }];
const withLoopback = (ip: string): boolean => ip === '127.0.0.1' || isPublicAddress(ip);

function aWebhook(options: Partial<WebhookOptions> = {}) {
  return createWebhook({
    secret: async () => secret,
    now: () => Date.now(),
    lookup: loopback,
    isPublic: withLoopback,
    ca,
    ...options,
  });
}

/** Resolves when the receiver has no connection left that waits for its answer. */
const leftAlone = () => new Promise<unknown>((resolve) => server?.close(resolve));

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(code, headers).end('the answer');
  };

it('posts a notice that the Standard Webhooks library verifies', async () => {
  const { url, seen } = await aReceiver(status(204));
  expect(await aWebhook().post(url, notice)).toEqual({ type: 'told' });
  const [request] = seen;
  expect(request).toMatchObject({
    method: 'POST',
    url: '/in?token=letmein',
    headers: { 'webhook-id': 'ntc_1', 'content-type': 'application/json' },
  });
  expect(new Webhook(secret).verify(request?.body ?? '', request?.headers ?? {})).toEqual({
    type: 'job.ended',
    timestamp: '2026-01-02T03:04:05.000Z',
    data: { jobId: 'job_7', status: 'succeeded', note: 'grüße' },
  });
  const other = new Webhook(Buffer.from('another key').toString('base64'));
  expect(() => other.verify(request?.body ?? '', request?.headers ?? {})).toThrow('No matching signature');
});

it('signs each try at its own time and under the same id', async () => {
  const { url, seen } = await aReceiver(status(500));
  let nowMs = Date.UTC(2026, 0, 2, 4);
  const webhook = aWebhook({ now: () => nowMs });
  await webhook.post(url, notice);
  nowMs += 60_000;
  await webhook.post(url, notice);
  const [one, two] = seen.map(({ headers }) => headers);
  expect(two?.['webhook-id']).toBe(one?.['webhook-id']);
  expect(Number(two?.['webhook-timestamp']) - Number(one?.['webhook-timestamp'])).toBe(60);
  expect(two?.['webhook-signature']).not.toBe(one?.['webhook-signature']);
});

it('takes the UTF-8 bytes of a secret in any other form as the key', async () => {
  const { url, seen } = await aReceiver(status(200));
  const raw = 'pässword-ж';
  expect(await aWebhook({ secret: async () => raw }).post(url, notice)).toEqual({ type: 'told' });
  const key = new Uint8Array(Buffer.from(raw, 'utf8'));
  const [request] = seen;
  expect(
    new Webhook(key, { format: 'raw' }).verify(request?.body ?? '', request?.headers ?? {}),
  ).toMatchObject({ type: 'job.ended' });
});

it.each([
  [200, 'told'],
  [202, 'told'],
  [299, 'told'],
  [300, 'again'],
  [304, 'again'],
  [400, 'again'],
  [401, 'again'],
  [404, 'again'],
  [410, 'never'],
  [413, 'again'],
  [429, 'again'],
  [500, 'again'],
  [503, 'again'],
])('takes status %i as %s', async (code, type) => {
  const { url } = await aReceiver(status(code));
  expect(await aWebhook().post(url, notice)).toEqual(
    type === 'told' ? { type } : { type, problem: `status ${code}` },
  );
});

it.each([301, 302, 303, 307, 308])('does not follow a redirect of status %i', async (code) => {
  const { url, seen, connections } = await aReceiver((response) =>
    status(code, { location: `${url}&again=1` })(response),
  );
  expect(await aWebhook().post(url, notice)).toEqual({ type: 'again', problem: `status ${code}` });
  expect([seen.length, connections.length]).toEqual([1, 1]);
});

it('refuses the loopback where nobody lets it pass, before it connects or reads the secret', async () => {
  const { url, connections } = await aReceiver(status(200));
  let read = 0;
  const webhook = createWebhook({
    secret: async () => {
      read += 1;
      return secret;
    },
    now: () => Date.now(),
    lookup: loopback,
    ca,
  });
  expect(await webhook.post(url, notice)).toEqual({
    type: 'never',
    problem: 'the receiver has an address that is not public',
  });
  expect([connections.length, read]).toEqual([0, 0]);
});

it('refuses a name when only one of its addresses is private, wherever it stands', async () => {
  const { url, connections } = await aReceiver(status(200));
  for (const address of ['10.0.0.1', '169.254.169.254', 'fd00:ec2::254', '::ffff:127.0.0.1']) {
    const inward = { address, family: address.includes(':') ? 6 : 4 };
    const fine = { address: '127.0.0.1', family: 4 };
    for (const addresses of [[inward, fine], [fine, inward], [inward]]) {
      const answer = await aWebhook({ lookup: async () => addresses }).post(url, notice);
      expect(answer).toMatchObject({ type: 'never' });
    }
  }
  expect(connections).toEqual([]);
});

it('connects to what it checked when the name changes its address between check and connection', async () => {
  const { url, seen } = await aReceiver(status(200));
  let asked = 0;
  const rebinding = async () => {
    asked += 1;
    return [{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
  };
  expect(await aWebhook({ lookup: rebinding }).post(url, notice)).toEqual({ type: 'told' });
  expect([asked, seen.length]).toEqual([1, 1]);
});

it('sends nothing when the far end turns out to be private once it is connected', async () => {
  const { url, seen } = await aReceiver(status(200));
  let checks = 0;
  const isPublic = (): boolean => {
    checks += 1;
    return checks === 1;
  };
  expect(await aWebhook({ isPublic }).post(url, notice)).toEqual({
    type: 'never',
    problem: 'the receiver has an address that is not public',
  });
  await leftAlone();
  expect([checks, seen.length]).toEqual([2, 0]);
});

it.skipIf(process.platform === 'win32')(
  'looks at the address of the socket itself, not at what was resolved',
  async () => {
    const { url } = await aReceiver(status(200));
    const checked: string[] = [];
    // The system takes 0.0.0.0 for this machine: the connection arrives elsewhere than where it was sent.
    const isPublic = (ip: string): boolean => {
      checked.push(ip);
      return true;
    };
    await aWebhook({ isPublic, lookup: async () => [{ address: '0.0.0.0', family: 4 }] }).post(url, notice);
    expect(checked).toEqual(['0.0.0.0', '127.0.0.1']);
  },
);

it('checks a literal address too, connected to without any lookup', async () => {
  const { port, connections } = await aReceiver(status(200));
  const lookup = async () => {
    throw new Error('asked');
  };
  const literal = `https://127.0.0.1:${port}/`;
  expect(await aWebhook({ lookup }).post(literal, notice)).toEqual({ type: 'told' });
  expect(await aWebhook({ lookup, isPublic: isPublicAddress }).post(literal, notice)).toEqual({
    type: 'never',
    problem: 'the URL must not point to a private address',
  });
  expect(connections).toHaveLength(1);
});

it('cuts off a receiver that does not answer', async () => {
  const { url } = await aReceiver(() => undefined);
  expect(await aWebhook({ timeoutMs: 200 }).post(url, notice)).toEqual({
    type: 'again',
    problem: 'no answer within 200 ms',
  });
  await leftAlone();
});

it('cuts off an answer without end by its time, and takes its status', async () => {
  const { url } = await aReceiver((response) => response.writeHead(200).write('more to come'));
  expect(await aWebhook({ timeoutMs: 2_000 }).post(url, notice)).toEqual({ type: 'told' });
  await leftAlone();
});

it('takes the status of an answer that breaks off after it', async () => {
  const { url } = await aReceiver((response, request) => {
    response.writeHead(200, { 'content-length': '100' }).write('half', () => request.socket.destroy());
  });
  expect(await aWebhook().post(url, notice)).toEqual({ type: 'told' });
});

it('cuts off an answer without end by its size', async () => {
  let written = 0;
  const { url } = await aReceiver((response) => {
    response.writeHead(200);
    const more = (): void => {
      if (response.destroyed) return;
      written += 16_384;
      response.write(Buffer.alloc(16_384), () => setImmediate(more));
    };
    more();
  });
  expect(await aWebhook({ timeoutMs: 25_000 }).post(url, notice)).toEqual({ type: 'told' });
  expect(written).toBeLessThan(16 * 1024 * 1024);
});

it.each([
  ['resolver', { lookup: () => new Promise<never>(() => undefined) }],
  ['secret', { secret: () => new Promise<never>(() => undefined) }],
])('does not wait for a %s that never answers', async (_what, options) => {
  const { url, connections } = await aReceiver(status(200));
  expect(await aWebhook({ ...options, timeoutMs: 50 }).post(url, notice)).toEqual({
    type: 'again',
    problem: 'no answer within 50 ms',
  });
  expect(connections).toEqual([]);
});

it('hands no byte of the notice to a receiver whose certificate it does not trust', async () => {
  const { port, url, seen } = await aReceiver(status(200));
  const untrusting = createWebhook({
    secret: async () => secret,
    now: () => Date.now(),
    lookup: loopback,
    isPublic: withLoopback,
  });
  expect(await untrusting.post(url, notice)).toEqual({
    type: 'again',
    problem: 'the connection failed: DEPTH_ZERO_SELF_SIGNED_CERT',
  });
  expect(await aWebhook().post(`https://other.example:${port}/`, notice)).toEqual({
    type: 'again',
    problem: 'the connection failed: ERR_TLS_CERT_ALTNAME_INVALID',
  });
  expect(seen).toEqual([]);
});

it('says nothing of URL, secret, body or answer in any problem', async () => {
  const { url } = await aReceiver((response) => response.writeHead(500, 'letmein').end('letmein'));
  const gone = Object.assign(new Error('getaddrinfo hooks.example letmein'), { code: 'ENOTFOUND' });
  const leaky = Object.assign(new Error('letmein'), { code: 'the token letmein' });
  const tries = [
    aWebhook().post(url, notice),
    aWebhook({ lookup: () => Promise.reject(gone) }).post(url, notice),
    aWebhook({ lookup: () => Promise.reject(leaky) }).post(url, notice),
    aWebhook({ lookup: async () => [] }).post(url, notice),
    aWebhook({ lookup: async () => [{ address: '10.1.2.3', family: 4 }] }).post(url, notice),
    aWebhook({ secret: () => Promise.reject(new Error(secret)) }).post(url, notice),
    aWebhook({ secret: async () => 'whsec_letmein!' }).post(url, notice),
    aWebhook({ secret: async () => '' }).post(url, notice),
    aWebhook().post('https://user:letmein@hooks.example/', notice),
    aWebhook().post('letmein', notice),
    aWebhook().post(url, { ...notice, data: { job_7: 1n } }),
    aWebhook().post(url, { ...notice, id: 'letmein\n' }),
  ];
  const problems = (await Promise.all(tries)).map((told) => ('problem' in told ? told.problem : 'told'));
  expect(problems).toEqual([
    'status 500',
    'the connection failed: ENOTFOUND',
    'the connection failed',
    'the name has no address',
    'the receiver has an address that is not public',
    'the signing secret cannot be read',
    'the signing secret is unusable',
    'the signing secret is unusable',
    'the URL must not hold credentials',
    'the URL cannot be read',
    'the connection failed',
    'the connection failed: ERR_INVALID_CHAR',
  ]);
});

it('asks to be tried again when nobody listens, or the receiver hangs up', async () => {
  const { url } = await aReceiver((_response, request) => request.socket.destroy());
  expect(await aWebhook().post(url, notice)).toEqual({
    type: 'again',
    problem: 'the connection failed: ECONNRESET',
  });
  server?.close();
  expect(await aWebhook().post(url, notice)).toEqual({
    type: 'again',
    problem: 'the connection failed: ECONNREFUSED',
  });
});

it.each([
  'https://hooks.example',
  'https://hooks.example/a/b?c=d',
  'https://hooks.example:443/',
  'https://hooks.example:8443/',
  'https://hooks.example:1024/',
  'https://grüße.example/',
  'https://8.8.8.8/',
  'https://[2001:4860:4860::8888]/',
  'https://notlocalhost/',
  `https://hooks.example/${'x'.repeat(2_026)}`,
])('takes %s as a webhook', (url) => {
  expect(webhookUrlProblem(url)).toBeUndefined();
});

it.each([
  ['http://hooks.example/', 'must begin with https://'],
  ['ftp://hooks.example/', 'must begin with https://'],
  ['file:///etc/passwd', 'must begin with https://'],
  ['hooks.example', 'cannot be read'],
  ['', 'cannot be read'],
  ['https://', 'cannot be read'],
  ['https://user:pass@hooks.example/', 'must not hold credentials'],
  ['https://user@hooks.example/', 'must not hold credentials'],
  ['https://:pass@hooks.example/', 'must not hold credentials'],
  ['https://hooks.example/#part', 'must not have a fragment'],
  ['https://hooks.example/#', 'must not have a fragment'],
  ['https://hooks.example/a b', 'contains white space or control characters'],
  ['https://hooks.exa\nmple/', 'contains white space or control characters'],
  ['https://hooks.example:22/', 'must use port 443, or one from 1024'],
  ['https://hooks.example:80/', 'must use port 443, or one from 1024'],
  ['https://hooks.example:1023/', 'must use port 443, or one from 1024'],
  ['https://hooks.example:0/', 'must use port 443, or one from 1024'],
  ['https://localhost/', 'must not point to a private address'],
  ['https://LOCALHOST./', 'must not point to a private address'],
  ['https://a.localhost/', 'must not point to a private address'],
  ['https://127.0.0.1/', 'must not point to a private address'],
  ['https://2130706433/', 'must not point to a private address'],
  ['https://0x7f000001/', 'must not point to a private address'],
  ['https://0177.0.0.1/', 'must not point to a private address'],
  ['https://127.1/', 'must not point to a private address'],
  ['https://127。0。0。1/', 'must not point to a private address'],
  ['https://%31%32%37.0.0.1/', 'must not point to a private address'],
  ['https://0/', 'must not point to a private address'],
  ['https://169.254.169.254/latest/meta-data/', 'must not point to a private address'],
  ['https://[::1]/', 'must not point to a private address'],
  ['https://[::]/', 'must not point to a private address'],
  ['https://[::ffff:127.0.0.1]/', 'must not point to a private address'],
  ['https://[::127.0.0.1]/', 'must not point to a private address'],
  ['https://[fd00:ec2::254]/', 'must not point to a private address'],
  ['https://[64:ff9b::a9fe:a9fe]/', 'must not point to a private address'],
  [`https://hooks.example/${'x'.repeat(2_027)}`, 'is longer than 2048 characters'],
])('refuses %s', (url, problem) => {
  expect(webhookUrlProblem(url)).toBe(problem);
});
