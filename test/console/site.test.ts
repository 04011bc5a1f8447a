import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleConsole, type ConsoleAssets } from '../../src/bundle-console.ts';
import { consoleFor } from '../../src/cli/console.ts';
import { TerminalError } from '../../src/core/errors.ts';
import { consoleSite, withConsole } from '../../src/local/console-site.ts';

const MOST_KILOBYTES = 120;

let assets: ConsoleAssets;
beforeAll(async () => {
  assets = await bundleConsole();
});

const loadNever = (): Promise<never> => Promise.reject(new Error('loaded twice'));
const facts = { api: '', endpoint: 'https://x.example/?a="><script>', tenants: true };
const site = (path: string, init?: RequestInit) =>
  consoleSite(facts, async () => assets)(new Request(`http://127.0.0.1:1${path}`, init));

it(`has less than ${MOST_KILOBYTES} KB of JavaScript, compressed`, () => {
  const script = assets.get('console.js') ?? new Uint8Array();
  expect(gzipSync(script).length).toBeLessThan(MOST_KILOBYTES * 1000);
  expect([...assets.keys()].sort()).toEqual(['console.css', 'console.js', 'index.html']);
});

/** Names of formats, and of a page in an error message of a library. */
const isOnlyNamed = /^http:\/\/www\.w3\.org\/|^https:\/\/github\.com\/preactjs\/preact-iso#/;

it('names no other server in what it sends', () => {
  for (const [name, bytes] of assets) {
    const text = new TextDecoder().decode(bytes);
    const others = text.match(/(https?:)?\/\/[a-z0-9.-]+\.[a-z]{2,}[^"'`\s]*/gi) ?? [];
    expect(
      others.filter((address) => !isOnlyNamed.test(address)),
      name,
    ).toEqual([]);
  }
});

const guarded = {
  'content-security-policy': expect.stringMatching(/^default-src 'none'; frame-ancestors 'none'/),
  'x-content-type-options': 'nosniff',
};

describe('the site of the console', () => {
  it.each(['/console/', '/console/jobs', '/console/jobs/job_1', '/console/what/ever'])(
    'answers %s with its page, so that a link into it can be opened anywhere',
    async (path) => {
      const response = await site(path);
      expect(response?.headers.get('content-type')).toMatch(/^text\/html/);
      expect(await response?.text()).toContain('<script type="module" src="/console/assets/console.js">');
    },
  );

  it('lets the page load and ask nothing but this server, and nobody frame it', async () => {
    for (const path of ['/console/', '/console/assets/console.js', '/console/assets/none.js']) {
      const policy = (await site(path))?.headers.get('content-security-policy') ?? '';
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ])
        expect(policy).toContain(rule);
      expect(policy).not.toContain('unsafe');
    }
  });

  it('writes facts into the page as text', async () => {
    expect(await (await site('/console/'))?.text()).toContain(
      'content="https://x.example/?a=&quot;>&lt;script>"',
    );
  });

  it('leads a browser to it, and leaves everything else to the API', async () => {
    const moved = await site('/', { headers: { accept: 'text/html,*/*' } });
    expect([moved?.status, moved?.headers.get('location')]).toEqual([302, '/console/']);
    const tenant = await site('/console?tenant=acme');
    expect(tenant?.headers.get('location')).toBe('/console/?tenant=acme');
    expect(await site('/')).toBeUndefined();
    expect(await site('/jobs')).toBeUndefined();
    expect(await site('/consolejobs')).toBeUndefined();
    const api = withConsole({ fetch: () => new Response('api') });
    const answered = await api.fetch(new Request('http://127.0.0.1:1/jobs'));
    expect(await answered.text()).toBe('api');
    expect(Object.fromEntries(answered.headers)).toMatchObject(guarded);
  });

  it('says what keeps it from being bundled, and tries again', async () => {
    const loads = [
      () => Promise.reject(new TerminalError('unbundled', 'a bracket is missing')),
      async () => assets,
    ];
    const broken = consoleSite(facts, () => (loads.shift() ?? loadNever)());
    const ask = async () => broken(new Request('http://127.0.0.1:1/console/'));
    const first = await ask();
    expect([first?.status, await first?.json()]).toEqual([
      500,
      expect.objectContaining({ detail: 'a bracket is missing' }),
    ]);
    expect((await ask())?.status).toBe(200);
    expect((await ask())?.status).toBe(200);
  });

  it('has no file but its own, and takes no changes', async () => {
    expect((await site('/console/assets/..%2f..%2fpackage.json'))?.status).toBe(404);
    expect((await site('/console/', { method: 'POST' }))?.status).toBe(405);
    expect(await (await site('/console/', { method: 'HEAD' }))?.text()).toBe('');
  });
});

describe('the console for a deployment', () => {
  const asked: { url: string; method: string; headers: Record<string, string>; body: string }[] = [];
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const headers = Object.fromEntries(request.headers);
    asked.push({ url: request.url, method: request.method, headers, body: await request.text() });
    return new Response('{"items":[]}', {
      status: 200,
      headers: { 'set-cookie': 'a=b', 'x-treadle-cursor': 'c', date: 'Sun, 01 Mar 2026 12:00:00 GMT' },
    });
  };
  const ask = consoleFor('https://abc.execute-api.eu-west-1.amazonaws.com/prod', send);

  it('passes on what the page asks, under the address of the deployment and nothing else', async () => {
    const headers = { cookie: 'secret=1', 'content-type': 'application/json', origin: 'http://127.0.0.1:1' };
    const request = new Request('http://127.0.0.1:1/api/jobs/job_1/cancel?x=1', {
      method: 'POST',
      headers,
      body: '{}',
    });
    const response = await ask(request);
    expect(asked.at(-1)).toEqual({
      url: 'https://abc.execute-api.eu-west-1.amazonaws.com/prod/jobs/job_1/cancel?x=1',
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
    });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ 'x-treadle-cursor': 'c', date: 'Sun, 01 Mar 2026 12:00:00 GMT' },
    });
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  it('does not let a path leave the deployment', async () => {
    await ask(new Request('http://127.0.0.1:1/api/../../jobs'));
    await ask(new Request('http://127.0.0.1:1/api//evil.example/jobs'));
    for (const { url } of asked) expect(new URL(url).host).toBe('abc.execute-api.eu-west-1.amazonaws.com');
  });

  it('says that the deployment does not answer, and that there is nothing to sign with', async () => {
    const failing = (error: Error) => consoleFor('http://127.0.0.1:9', () => Promise.reject(error));
    const request = () => new Request('http://127.0.0.1:1/api/jobs');
    const silent = await failing(new TypeError('fetch failed'))(request());
    expect([silent.status, await silent.json()]).toEqual([
      503,
      expect.objectContaining({ type: 'urn:treadle:unreachable' }),
    ]);
    const unsigned = await failing(Object.assign(new Error(), { code: 'no_credentials' }))(request());
    expect(await unsigned.json()).toMatchObject({ type: 'urn:treadle:no_credentials' });
  });

  it.each([
    ['application/json', 'application/json'],
    ['application/problem+json', 'application/problem+json'],
    ['text/csv; charset=utf-8', 'text/csv; charset=utf-8'],
    ['Application/X-NDJSON', 'Application/X-NDJSON'],
    ['text/html', 'application/octet-stream'],
    ['text/html, application/json', 'application/octet-stream'],
    ['image/svg+xml', 'application/octet-stream'],
    ['text/javascript', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('shows no browser anything but data: what comes as %j goes on as %j', async (type, passed) => {
    const page = new TextEncoder().encode('<script>alert(1)</script>');
    const upstream = async () => new Response(page, { headers: { 'content-type': type } });
    const there = consoleFor('http://127.0.0.1:9', upstream);
    const { headers } = await there(new Request('http://127.0.0.1:1/api/jobs'));
    expect(headers.get('content-type')).toBe(passed);
    expect(Object.fromEntries(headers)).toMatchObject(guarded);
  });

  it('guards refusals and answers without a body as well', async () => {
    const silent = consoleFor('http://127.0.0.1:9', () => Promise.reject(new TypeError('fetch failed')));
    const empty = consoleFor('http://127.0.0.1:9', async () => new Response(null, { status: 204 }));
    for (const response of [
      await silent(new Request('http://127.0.0.1:1/api/jobs')),
      await silent(new Request('http://127.0.0.1:1/none')),
      await empty(new Request('http://127.0.0.1:1/api/jobs/job_1', { method: 'DELETE' })),
    ])
      expect(Object.fromEntries(response.headers)).toMatchObject(guarded);
  });

  it('lets nobody choose a tenant where the deployment tells it from who signs', async () => {
    const page = await (await ask(new Request('http://127.0.0.1:1/console/'))).text();
    expect(page).toContain('<meta name="treadle-tenants" content="false">');
  });
});
