import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { createApi } from '../../src/api/app.ts';
import { sampleJobId } from '../../src/api/samples.ts';
import { apiFiles } from '../../src/api-files.ts';
import { identifyLocally, startApiServer } from '../../src/local/api-server.ts';
import { worldGiven } from './given.ts';
import { overHttp } from './senders.ts';

interface Raw {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly text: string;
}

/** A request whose every header is the test's own. */
function raw(port: number, headers: Record<string, string>, path = '/agents', method = 'GET'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: '127.0.0.1', port, path, method, headers, setHost: false },
      async (response: IncomingMessage) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ status: response.statusCode, type: response.headers['content-type'], text });
      },
    );
    sent.on('error', reject).end();
  });
}

it.each([
  'evil.example',
  'evil.example:PORT',
  '127.0.0.1.evil.example:PORT',
  'localhost.evil.example:PORT',
  '127.0.0.1:1',
  '127.0.0.1',
  'localhost@evil.example:PORT',
  '0.0.0.0:PORT',
  '',
])('refuses the foreign host name "%s"', async (host) => {
  const { port } = await overHttp(await worldGiven('nothing'));
  const reply = await raw(port, { host: host.replace('PORT', String(port)) });
  expect(reply).toMatchObject({ status: 403, type: 'application/problem+json' });
  expect(JSON.parse(reply.text)).toMatchObject({ type: 'urn:treadle:foreign' });
});

it.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])('answers under the name %s', async (name) => {
  const { port } = await overHttp(await worldGiven('nothing'));
  expect(await raw(port, { host: `${name}:${port}` })).toMatchObject({ status: 200 });
});

it.each([
  ['http://evil.example', 403],
  ['null', 403],
  ['http://127.0.0.1:1', 403],
  ['https://127.0.0.1:PORT', 403],
  ['http://localhost:PORT', 403],
  ['http://127.0.0.1:PORT', 200],
])('answers a request of the origin %s with %i', async (origin, status) => {
  const { port } = await overHttp(await worldGiven('nothing'));
  const headers = { host: `127.0.0.1:${port}`, origin: origin.replace('PORT', String(port)) };
  expect(await raw(port, headers)).toMatchObject({ status });
});

it('changes nothing for a foreign page', async () => {
  const world = await worldGiven('queued');
  const before = world.table.all();
  const { port } = await overHttp(world);
  const path = `/jobs/${sampleJobId}/cancel`;
  const headers = { host: `127.0.0.1:${port}`, origin: 'http://evil.example' };
  expect(await raw(port, headers, path, 'POST')).toMatchObject({ status: 403 });
  expect(world.table.all()).toEqual(before);
});

it.each(['a b', 'a/b', '', 'x'.repeat(65)])('refuses the tenant "%s"', async (tenant) => {
  const send = await overHttp(await worldGiven('nothing'));
  expect((await send({ path: '/agents', tenant })).status).toBe(400);
});

it('answers what is hardly HTTP with a problem, and lives on', async () => {
  const { port } = await overHttp(await worldGiven('nothing'));
  const host = { host: `127.0.0.1:${port}` };
  for (const path of ['/jobs\\x', '//', '/%', '/%ff', 'http://evil.example/agents', '/agents?%=%&a=%ff']) {
    const reply = await raw(port, host, path);
    expect([path, reply.status, reply.type]).toEqual([path, expect.any(Number), 'application/problem+json']);
    expect(reply.status).toBeLessThan(500);
  }
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end('nonsense\r\n\r\n'));
    socket.resume().on('close', () => resolve());
  });
  expect(await raw(port, host)).toMatchObject({ status: 200 });
});

it('lives on when a client breaks off in the middle of a body', async () => {
  const world = await worldGiven('nothing');
  const { port } = await overHttp(world);
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      const head = `POST /jobs HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n`;
      socket.write(`${head}content-length: 1000\r\n\r\n{"agent":`, () => socket.destroy());
    });
    socket.on('close', () => resolve());
  });
  expect(await raw(port, { host: `127.0.0.1:${port}` })).toMatchObject({ status: 200 });
  expect(world.table.all()).toEqual([]);
});

it('answers a body of 12 MB with 413 to a client that sends all of it', async () => {
  const send = await overHttp(await worldGiven('nothing'));
  const text = JSON.stringify({ agent: 'triage', input: 'x'.repeat(12_000_000) });
  expect((await send({ method: 'POST', path: '/jobs', text })).status).toBe(413);
});

it('says which port is taken, and how to choose another', async () => {
  const api = createApi({ files: apiFiles, world: await worldGiven('nothing'), identify: identifyLocally });
  const first = await startApiServer({ api, port: 0 });
  await expect(startApiServer({ api, port: first.port })).rejects.toMatchObject({
    name: 'TerminalError',
    code: 'port_taken',
    message: `port ${first.port} is taken by another program; choose another one with --port, or any free one with --port 0`,
  });
  await first.close();
  const again = await startApiServer({ api, port: first.port });
  expect(again.port).toBe(first.port);
  await again.close();
});
