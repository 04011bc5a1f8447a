import { expect, it } from 'vitest';
import { awsErrorName, awsFailure } from '../../src/adapters/aws-errors.ts';

it('keeps the name and the request id of an AWS error, and no word of its message', () => {
  const error = Object.assign(new Error('Item {"text":"my card number"} is too large'), {
    name: 'ValidationException',
    $metadata: { requestId: 'REQ-1' },
  });
  const failure = awsFailure(error, 'committing job job_7');
  expect(failure).toMatchObject({ name: 'RetryableError', code: 'aws_request' });
  expect(failure.message).toBe('committing job job_7: ValidationException (request REQ-1)');
  expect(failure.cause).toBeUndefined();
  expect(JSON.stringify(failure)).not.toContain('card');
});

it.each([
  ['a refused connection', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [
    'a prefixed name',
    { name: 'AWS.SimpleQueueService.QueueNameExists' },
    'AWS.SimpleQueueService.QueueNameExists',
  ],
  ['a name that is a sentence', { name: 'the text was: hello' }, 'UnknownError'],
  ['a string', 'boom', 'UnknownError'],
  ['nothing', undefined, 'UnknownError'],
])('names %s', (_, error, name) => {
  expect(awsErrorName(error)).toBe(name);
});
