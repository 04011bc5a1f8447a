import { redactText } from '../core/redact-log.ts';

/** One thing that is wrong with a request: which part, and what about it. Never the value that was sent. */
export interface FieldError {
  /** `limits.maxSteps`, `cursor`, `Idempotency-Key`. */
  readonly name: string;
  readonly message: string;
}

const titles = {
  400: 'Bad request',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Too large',
  415: 'Unsupported media type',
  422: 'Idempotency key used for another body',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Service unavailable',
} as const;

export type ProblemStatus = keyof typeof titles;

/** The body of every answer that is no success, as `application/problem+json`: never a stack, a secret or long input. */
export interface Problem {
  /** `urn:treadle:` and a code that programs can match. */
  readonly type: string;
  readonly title: string;
  readonly status: ProblemStatus;
  /** One sentence that a person understands. */
  readonly detail: string;
  readonly errors: readonly FieldError[];
}

const MAX_DETAIL = 1_000;
const MAX_NAME = 100;
const MAX_ERRORS = 20;

/** Names may come from the request, and callers log errors: nothing private, cut, and in printable ASCII. */
function safeError({ name, message }: FieldError): FieldError {
  const seen = redactText(name).replaceAll(/[^ -~]/g, '?');
  return { name: seen.slice(0, MAX_NAME), message: message.slice(0, MAX_DETAIL) };
}

export function problem(
  status: ProblemStatus,
  code: string,
  detail: string,
  errors: readonly FieldError[] = [],
): Problem {
  return {
    type: `urn:treadle:${code}`,
    title: titles[status],
    status,
    detail: detail.slice(0, MAX_DETAIL),
    errors: errors.slice(0, MAX_ERRORS).map(safeError),
  };
}

/** A request that is wrong in itself; the detail repeats the errors as one sentence. */
export function invalidRequest(errors: readonly FieldError[], code = 'invalid_request'): Problem {
  const sentence = errors
    .slice(0, MAX_ERRORS)
    .map(safeError)
    .map(({ name, message }) => `${name}: ${message}`)
    .join('; ');
  return problem(400, code, sentence, errors);
}
