import { RetryableError } from '../core/errors.ts';

interface AwsErrorShape {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly $metadata?: { readonly requestId?: unknown };
}

function plain(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}

function shapeOf(error: unknown): AwsErrorShape {
  return typeof error === 'object' && error !== null ? error : {};
}

/**
 * What kind of failure an AWS client met, in one word: `ThrottlingException`, `TimeoutError`, `ECONNREFUSED`.
 * `UnknownError` for anything that does not look like a name.
 */
export function awsErrorName(error: unknown): string {
  const { name, code } = shapeOf(error);
  // A refused connection is a plain `Error` (or an `AggregateError`); only Node's own code says what it was.
  return plain(code, /^E[A-Z_]{2,30}$/) ?? plain(name, /^[A-Za-z][\w.]{0,99}$/) ?? 'UnknownError';
}

/**
 * The failure of an AWS call, for logs and for the caller: its name and request id, and nothing else. Messages of AWS
 * errors may quote the whole request, content of the job included, so neither they nor the error itself are kept.
 * `doing` says what was tried, with ids only: `sending job job_7`.
 */
export function awsFailure(error: unknown, doing: string): RetryableError {
  const requestId = plain(shapeOf(error).$metadata?.requestId, /^[\w-]{1,100}$/) ?? 'none';
  return new RetryableError('aws_request', `${doing}: ${awsErrorName(error)} (request ${requestId})`);
}
