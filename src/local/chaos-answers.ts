/** A whole answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer;
}

function awsError(type: string, message: string, more: Readonly<Record<string, string>> = {}): HttpAnswer {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'chaos', ...more };
  return { status: 400, headers, body: JSON.stringify({ __type: type, message }) };
}

function modelError(status: number, type: string, more: Readonly<Record<string, string>> = {}): HttpAnswer {
  const error = { type, message: 'asked too often' };
  const body = JSON.stringify({ type: 'error', error, request_id: 'req_chaos' });
  return {
    status,
    headers: { 'content-type': 'application/json', 'request-id': 'req_chaos', ...more },
    body,
  };
}

/** What each service answers when it is asked too often. `draw`, at least 0 and below 1, chooses where it has several. */
export const throttleAnswers = {
  sqs: () =>
    awsError('com.amazonaws.sqs#RequestThrottled', 'The request was denied due to request throttling.', {
      'x-amzn-query-error': 'RequestThrottled;Sender',
    }),
  dynamodb: () =>
    awsError(
      'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
      'The level of configured provisioned throughput for the table was exceeded.',
    ),
  model: (draw: number) =>
    draw < 0.5
      ? modelError(429, 'rate_limit_error', { 'retry-after': '1' })
      : modelError(529, 'overloaded_error'),
} as const satisfies Readonly<Record<string, (draw: number) => HttpAnswer>>;
