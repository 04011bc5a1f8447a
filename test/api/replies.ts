import { expect } from 'vitest';
import type { ApiReply, Send } from './senders.ts';

export const post = (send: Send, path: string, body?: unknown, headers = {}, tenant = 'default') =>
  send({ method: 'POST', path, headers, tenant, ...(body === undefined ? {} : { body }) });

/** The parts of a request that a problem names. */
export const namesOf = (reply: ApiReply): readonly string[] =>
  (reply.json['errors'] as { name: string }[]).map(({ name }) => name);

export function expectProblem(reply: ApiReply, status: number): void {
  expect(reply.status, reply.text.slice(0, 300)).toBe(status);
  expect(reply.headers['content-type']).toBe('application/problem+json');
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(Object.keys(reply.json)).toEqual(['type', 'title', 'status', 'detail', 'errors']);
  expect(reply.json['status']).toBe(status);
  expect(reply.text).not.toMatch(/\.ts:|\bat \w+ \(|Error:/);
}
