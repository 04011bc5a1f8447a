import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { main } from '../../src/cli/main.ts';
import { keptTerminal, treadle } from '../support/command-line.ts';

/** A server that takes every request for a wish to see its page. */
let body = '';
let status = 200;
const server = createServer((_, response) => response.writeHead(status).end(body));
const port = (): number => Number(Reflect.get(Object(server.address()), 'port'));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

const commands: readonly (readonly [string, readonly string[]])[] = [
  ['stop-all', ['stop-all']],
  ['start-all', ['start-all', '--json']],
  ['delete', ['delete', 'job_1', '--yes']],
  ['submit', ['submit', 'Hello']],
  ['jobs', ['jobs']],
  ['jobs --json', ['jobs', '--json']],
  ['batch list', ['batch', 'list']],
  ['batch results', ['batch', 'results', 'batch_1']],
  ['watch', ['watch', 'job_1']],
  ['cost', ['cost', '--by', 'agent']],
];

describe('an answer of a server that is no Treadle API', () => {
  it.each(commands)('is no success of %s', async (_, args) => {
    status = 200;
    for (body of ['<html>Welcome</html>', 'null', '5', '{}', '{"items":null}']) {
      const said = await treadle(port(), args);
      expect(said, body).toMatchObject({ code: exitCode.error, out: '' });
      expect(said.err).toMatch(
        /^treadle: an answer that is none of this API; http\S+ is no Treadle API: .*\n$/,
      );
    }
  });

  it.each([
    ['a type that is no text', '{"type":7,"detail":"x"}'],
    ['a detail that is no text', '{"type":"urn:treadle:x","detail":{"a":1}}'],
    ['null', 'null'],
  ])('is told in a sentence where it is a problem with %s', async (_, given) => {
    [status, body] = [400, given];
    const said = await treadle(port(), ['jobs']);
    expect(said.err).toMatch(/^treadle: .* answered 400.*\n$/);
    expect(said.err).not.toContain('[object');
  });
});

it.each([
  ['an empty id', ['watch', '']],
  ['a point', ['batch', 'results', '.']],
  ['two points', ['cancel', '..']],
  ['an empty call', ['approve', 'job_1', '']],
  ['an empty letter', ['dlq', 'redrive', 'x', '']],
  ['a key with a picture', ['submit', 'hi', '--key', '🔥']],
  ['a key of two lines', ['batch', 'extend', 'batch_1', '--add-usd', '1', '--key', 'a\nb']],
])('takes %s for wrong usage, and asks nobody', async (_, args) => {
  const said = await treadle(9, args);
  expect(said.code).toBe(exitCode.usage);
  expect(said.err).toMatch(/is invalid/);
});

it('says in one sentence that the port of the model is taken', async () => {
  const { terminal, said } = keptTerminal();
  expect(await main(['model', '--port', String(port())], terminal)).toBe(exitCode.error);
  expect(said().err).toMatch(/^treadle: port \d+ is taken by another program; .*\n$/);
});
