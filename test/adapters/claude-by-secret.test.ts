import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClaudeBySecret } from '../../src/adapters/claude-by-secret.ts';
import type { Secret } from '../../src/adapters/secrets.ts';
import { RetryableError, TerminalError } from '../../src/core/errors.ts';
import {
  aMessage,
  aRequest,
  json,
  type MessagesServer,
  startMessagesServer,
} from '../support/messages-server.ts';

let server: MessagesServer;
beforeEach(async () => {
  vi.stubEnv('ANTHROPIC_API_KEY', 'from-environment');
  server = await startMessagesServer();
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.close();
});

/** A secret that is held until it is forgotten, as the real one is. */
function aSecret(stored: { key: string | Error }) {
  let held: string | undefined;
  const counts = { reads: 0, forgotten: 0 };
  const secret: Secret = {
    read: async () => {
      if (held !== undefined) return held;
      counts.reads += 1;
      if (stored.key instanceof Error) throw stored.key;
      held = stored.key;
      return held;
    },
    forget: () => {
      held = undefined;
      counts.forgotten += 1;
    },
  };
  return { secret, counts };
}

const signal = new AbortController().signal;
const unauthorized = json(401, { type: 'error', error: { type: 'authentication_error', message: 'x' } });
const keysSeen = () => server.seen.map(({ headers }) => headers.authorization);

it('signs with the key of the secret, which is read once and not before the first request', async () => {
  const { secret, counts } = aSecret({ key: 'one' });
  const model = createClaudeBySecret({ secret, baseURL: server.url });
  expect(counts.reads).toBe(0);
  expect(await model.ask(aRequest, signal)).toMatchObject({ type: 'reply' });
  await model.ask(aRequest, signal);
  expect([keysSeen(), counts.reads]).toEqual([['Bearer one', 'Bearer one'], 1]);
});

it('a key that was replaced is taken up at the first 401: the job waits, and its next request is answered', async () => {
  const stored = { key: 'old' };
  const { secret } = aSecret(stored);
  const model = createClaudeBySecret({ secret, baseURL: server.url });
  server.answer = (response, { headers }) =>
    (headers.authorization === 'Bearer new' ? json(200, aMessage) : unauthorized)(response);
  await secret.read();
  stored.key = 'new';
  expect(await model.ask(aRequest, signal)).toMatchObject({ type: 'wait', billed: 'no' });
  expect(await model.ask(aRequest, signal)).toMatchObject({ type: 'reply' });
  expect(keysSeen()).toEqual(['Bearer old', 'Bearer new']);
});

it('a key that is turned away and is still the same ends the job as one that is not configured', async () => {
  const { secret, counts } = aSecret({ key: 'sk-wrong' });
  server.answer = unauthorized;
  const outcome = await createClaudeBySecret({ secret, baseURL: server.url }).ask(aRequest, signal);
  expect(outcome).toMatchObject({ type: 'refused', reason: 'configuration' });
  expect([counts, server.seen.length]).toEqual([{ reads: 2, forgotten: 1 }, 1]);
  expect(JSON.stringify(outcome)).not.toContain('sk-wrong');
});

it.each([
  [403, 'permission_error'],
  [529, 'overloaded_error'],
])('a %i does not make it read the secret again', async (status, type) => {
  const { secret, counts } = aSecret({ key: 'one' });
  server.answer = json(status, { type: 'error', error: { type, message: 'x' } });
  await createClaudeBySecret({ secret, baseURL: server.url }).ask(aRequest, signal);
  expect(counts).toEqual({ reads: 1, forgotten: 0 });
});

it('a secret that cannot be read now is waited for; one that never can be ends the job', async () => {
  const stored: { key: string | Error } = { key: new RetryableError('aws_request', 'throttled') };
  const { secret } = aSecret(stored);
  const model = createClaudeBySecret({ secret, baseURL: server.url });
  expect(await model.ask(aRequest, signal)).toMatchObject({ type: 'wait', billed: 'no' });
  stored.key = new TerminalError('unusable_secret', 'secret x must hold a text');
  expect(await model.ask(aRequest, signal)).toMatchObject({
    ...{ type: 'refused', reason: 'configuration' },
    problem: expect.stringContaining('MODEL_SECRET_ARN'),
  });
  expect(server.seen).toEqual([]);
});
