import { expect } from 'vitest';
import type { AnswerSpec, Route } from '../../src/api/route.ts';
import { problemSchema } from '../../src/api/schemas/common.ts';
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

function typeOf({ textTypes, schema }: AnswerSpec): RegExp {
  if (textTypes !== undefined) return new RegExp(`^(${textTypes.join('|')})(;|$)`);
  return schema === undefined ? /^$/ : /^application\/json$/;
}

/** An answer is what the document says of its status: its type, and all of its body. */
export function expectDocumented(route: Route, reply: ApiReply): void {
  const answer = route.answers[reply.status];
  if (answer === undefined) expectProblem(reply, reply.status);
  else expect(reply.headers['content-type'] ?? '').toMatch(typeOf(answer));
  if (answer !== undefined && answer.schema === undefined) return;
  const schema = answer?.schema ?? problemSchema;
  // The schema drops what it does not name, so an answer with more than the document says differs from it.
  expect(schema.parse(reply.json)).toEqual(reply.json);
}
