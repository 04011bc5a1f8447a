import { type FieldError, invalidRequest, type Problem, problem } from './problem.ts';

/** What a route answers; the server adds the headers that every answer has. */
export interface Answer {
  readonly status: number;
  /** Null with a body of no type: 204. */
  readonly contentType: string | null;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export function json(status: number, value: unknown, headers: Answer['headers'] = {}): Answer {
  return { status, contentType: 'application/json', body: JSON.stringify(value), headers };
}

export function text(status: number, contentType: string, body: string, headers: Answer['headers'] = {}) {
  return { status, contentType, body, headers } satisfies Answer;
}

export const noContent: Answer = { status: 204, contentType: null, body: null, headers: {} };

export function refuse(what: Problem, headers: Answer['headers'] = {}): Answer {
  return {
    status: what.status,
    contentType: 'application/problem+json',
    body: JSON.stringify(what),
    headers,
  };
}

export const badRequest = (errors: readonly FieldError[], code?: string): Answer =>
  refuse(invalidRequest(errors, code));

/** Also for what another tenant owns: nobody learns that it exists. */
export const notFound = (what: string): Answer =>
  refuse(problem(404, 'not_found', `there is no such ${what}`));

/** `why` is a sentence of a use case: figures, names and states, never content. */
export const conflict = (why: string): Answer => refuse(problem(409, 'conflict', why));

export const tooLarge = (detail: string): Answer => refuse(problem(413, 'too_large', detail));

export const unsupportedType = (detail: string): Answer =>
  refuse(problem(415, 'unsupported_media_type', detail));

/** An idempotency key that stands for another body. */
export const keyMismatch = (): Answer =>
  refuse(
    problem(422, 'idempotency_key_reused', 'this Idempotency-Key was used for another body', [
      { name: 'Idempotency-Key', message: 'was used for another body' },
    ]),
  );

export const tooManyRequests = (detail: string, retryAfterSeconds: number): Answer =>
  refuse(problem(429, 'too_many_requests', detail), { 'retry-after': String(retryAfterSeconds) });

export const unavailable = (detail: string): Answer =>
  refuse(problem(503, 'unavailable', detail), { 'retry-after': '1' });
