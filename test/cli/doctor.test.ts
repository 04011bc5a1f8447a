import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { fetchFor } from '../../src/adapters/signed-fetch.ts';
import { openApiDocument } from '../../src/api/openapi.ts';
import { routes } from '../../src/api/routes.ts';
import { stop } from '../../src/app/control.ts';
import { doctor } from '../../src/cli/doctor.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { main } from '../../src/cli/main.ts';
import { worldGiven } from '../api/given.ts';
import { overHttp } from '../api/senders.ts';

const well = { ok: true, oldestDueSeconds: 0, lapsedLeases: 0, deadLetters: 0, stopped: false };
const agent = {
  ...{ name: 'triage', version: 'v', model: 'claude-haiku-5-5', tools: [] },
  limits: {
    ...{ maxSteps: 1, maxCostUsd: 1, maxTokens: 1 },
    ...{ maxConsecutiveFailures: 1, timeoutSeconds: 1 },
  },
};
const answers: Readonly<Record<string, unknown>> = {
  '/openapi.json': openApiDocument(routes),
  '/health': well,
  '/agents': { items: [agent], cursor: null },
};

/** What a path is answered: data, a status, text that is no JSON, or nothing for ever. */
type Answer = object | number | string | 'never';

/** A deployment that answers as it should, but for the paths that are given. */
async function deployment(given: Readonly<Record<string, Answer>> = {}): Promise<string> {
  const server = createServer((request, response) => {
    const answer = given[request.url ?? ''] ?? answers[request.url ?? ''] ?? 404;
    if (answer === 'never') return;
    if (typeof answer === 'number') response.writeHead(answer).end('{"message":"no"}');
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Said {
  readonly code: number;
  readonly text: string;
}

async function ask(endpoint: string, parts: Parameters<typeof doctor>[2] = {}, json = false): Promise<Said> {
  let text = '';
  const out = (more: string): void => {
    text += more;
  };
  const terminal = { out, err: () => undefined, live: false, color: false, width: 100, ask: undefined };
  return { code: await doctor({ endpoint, json }, terminal, parts), text };
}

const failing = ({ text }: Said): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('FAIL'))
    .map((line) => line.slice(6, 21).trim());

describe('treadle doctor', () => {
  it('finds nothing wrong with a deployment that is well, and says what it looked at', async () => {
    const { port } = await overHttp(await worldGiven('counted'));
    const said = await ask(`http://127.0.0.1:${port}`);
    expect(said).toEqual({ code: exitCode.done, text: expect.stringContaining('triage (claude-haiku-5-5)') });
    expect(said.text.split('\n').filter((line) => line !== '')).toHaveLength(8);
    expect(failing(said)).toEqual([]);
  });

  it('says what is wrong with the real API: it is stopped, and there are dead letters', async () => {
    const world = await worldGiven('dead_letter');
    await stop(world, { tenant: 'default' });
    const { port } = await overHttp(world);
    const said = await ask(`http://127.0.0.1:${port}`);
    expect(said.code).toBe(exitCode.error);
    expect(failing(said)).toEqual(['not stopped', 'dead letters']);
  });

  const { paths, ...document } = answers['/openapi.json'] as { readonly paths: Record<string, unknown> };
  const { '/batches': _, ...fewer } = paths;
  const unnamed = { ...document, paths, info: { title: 'Treadle', version: '2' } };
  it.each<[string, Readonly<Record<string, Answer>>, string, string]>([
    ['another version', { '/openapi.json': unnamed }, 'version', 'API 2, this command 1'],
    [
      'a deployment that lacks routes',
      { '/openapi.json': { ...document, paths: fewer } },
      'routes',
      'POST /batches',
    ],
    [
      'work that is overdue',
      { '/health': { ...well, ok: false, oldestDueSeconds: 300 } },
      'oldest due',
      '300 s',
    ],
    ['lapsed leases', { '/health': { ...well, lapsedLeases: 2 } }, 'lapsed leases', '2'],
    ['dead letters', { '/health': { ...well, deadLetters: 3 } }, 'dead letters', '3'],
    ['a stop', { '/health': { ...well, ok: false, stopped: true } }, 'not stopped', 'kill switch is on'],
    ['health that cannot be read', { '/health': { fine: true } }, 'health', 'none of this API'],
    ['health that fails', { '/health': 500 }, 'health', 'answered 500'],
    ['health that may not be asked', { '/health': 403 }, 'health', 'may not ask'],
    ['no agents', { '/agents': { items: [], cursor: null } }, 'agents', 'none'],
    ['agents that are throttled', { '/agents': 429 }, 'agents', 'too many requests'],
    ['a server that refuses', { '/openapi.json': 401 }, 'reachable', 'may not ask'],
    ['another server', { '/openapi.json': 404 }, 'reachable', 'no Treadle API'],
    ['a web page', { '/openapi.json': '<html>' }, 'reachable', 'no Treadle API'],
    ['another document', { '/openapi.json': { swagger: '2.0' } }, 'reachable', 'no Treadle API'],
    ['an API that fails', { '/openapi.json': 503 }, 'reachable', 'answered 503'],
  ])('fails on %s, and on nothing else', async (_what, given, name, words) => {
    const said = await ask(await deployment(given));
    expect(failing(said)).toEqual([name]);
    expect(said.text).toContain(words);
    expect(said.code).toBe(exitCode.error);
    const lines = said.text.split('\n');
    const todo = lines[lines.findIndex((line) => line.startsWith('FAIL')) + 1];
    expect(todo).toMatch(/^ {21}\S/);
  });

  it('gives up on a server that never answers', async () => {
    const said = await ask(await deployment({ '/openapi.json': 'never' }), { answerMs: 50 });
    expect(said.text).toContain('did not answer in time');
    expect(failing(said)).toEqual(['reachable']);
  });

  it('says how to start the local one when nobody listens', async () => {
    const said = await ask('http://127.0.0.1:9');
    expect(said).toEqual({ code: exitCode.error, text: expect.stringContaining('treadle dev') });
  });

  it('asks an API of AWS with a signature, and says so when there is nothing to sign with', async () => {
    const endpoint = 'https://a1.execute-api.eu-west-1.amazonaws.com';
    const local = await deployment();
    const asked: (string | null)[] = [];
    const send: typeof fetch = (input, init) => {
      asked.push(new Headers(init?.headers).get('authorization'));
      return fetch(`${local}${new URL(String(input)).pathname}`, init);
    };
    const keys = { accessKeyId: 'AKID', secretAccessKey: 'secret' };
    const signed = await ask(endpoint, {
      send: fetchFor(endpoint, { credentials: async () => keys, fetch: send }),
    });
    expect(signed.text).toContain('requests signed for eu-west-1');
    expect(signed.code).toBe(exitCode.done);
    expect(asked).toHaveLength(3);
    for (const authorization of asked) expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKID\//);
    const credentials = () => Promise.reject(new Error('profile not found'));
    const unsigned = await ask(endpoint, { send: fetchFor(endpoint, { credentials, fetch: send }) });
    expect(unsigned.text).toContain('no AWS credentials');
    expect(failing(unsigned)).toEqual(['reachable']);
  });

  it('prints one JSON object', async () => {
    const endpoint = await deployment({ '/health': { ...well, deadLetters: 1 } });
    const said = await ask(endpoint, {}, true);
    const told = JSON.parse(said.text) as { readonly checks: readonly object[] };
    expect(told).toMatchObject({ endpoint, ok: false });
    expect(told.checks).toContainEqual({
      ...{ name: 'dead letters', ok: false, detail: '1' },
      todo: expect.stringContaining('redrive'),
    });
    expect(said.text.trim().split('\n')).toHaveLength(1);
  });

  it('shows nothing of what a server says that could move the cursor', async () => {
    const evil = { ...agent, name: '\u001b[2Jtriage' };
    const { text } = await ask(await deployment({ '/agents': { items: [evil], cursor: null } }));
    expect(text).toContain('?[2Jtriage');
    expect(text).not.toContain('\u001b');
  });

  it.each(['nonsense', 'ftp://127.0.0.1', 'http://user:pass@127.0.0.1', 'http://127.0.0.1/?x=1'])(
    'takes %s for wrong usage',
    async (endpoint) => {
      const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      expect(await main(['doctor', '--endpoint', endpoint])).toBe(exitCode.usage);
      err.mockRestore();
    },
  );

  it('takes the endpoint from TREADLE_ENDPOINT where none is given', async () => {
    const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    vi.stubEnv('TREADLE_ENDPOINT', 'nonsense');
    expect(await main(['doctor'])).toBe(exitCode.usage);
    vi.unstubAllEnvs();
    err.mockRestore();
  });
});
