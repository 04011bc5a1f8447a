import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type RetryableError, TerminalError } from '../core/errors.ts';
import { awsErrorName, awsFailure } from './aws-errors.ts';

export interface Secret {
  /** The value as it was at most `ttlMs` ago. Readers at the same time share one request; a failure is not kept. */
  readonly read: () => Promise<string>;
  /** Drops what is held, and what is on its way: for when the value was turned away and may have been replaced. */
  readonly forget: () => void;
}

export interface SecretOptions {
  readonly arn: string;
  /** @default one for the ARN's region, or for `AWS_ENDPOINT_URL_SECRETS_MANAGER` */
  readonly client?: SecretsManagerClient;
  readonly now: () => number;
  /** @default 300000: a replaced secret is taken up within five minutes */
  readonly ttlMs?: number;
}

interface Held {
  readonly value: Promise<string>;
  /** Without end while the value is on its way. */
  untilMs: number;
}

/**
 * A secret of AWS Secrets Manager: its text, or the one string of a JSON object (`value`, or the only key there is),
 * without white space around it, which pasting leaves behind. Nothing is asked before the first `read`.
 */
export function createSecret({ arn, client, now, ttlMs = 300_000 }: SecretOptions): Secret {
  const name = arn.split(':').at(-1) ?? arn;
  let made = client;
  let held: Held | undefined;

  const fetchValue = async (): Promise<string> => {
    made ??= createClient(arn);
    const answer = await made.send(new GetSecretValueCommand({ SecretId: arn })).catch((error: unknown) => {
      throw failureOf(error, name);
    });
    return valueIn(answer.SecretString, name);
  };

  const begin = async (): Promise<string> => {
    const mine: Held = { value: fetchValue(), untilMs: Number.POSITIVE_INFINITY };
    held = mine;
    try {
      const value = await mine.value;
      mine.untilMs = now() + ttlMs;
      return value;
    } catch (error) {
      if (held === mine) held = undefined;
      throw error;
    }
  };

  return {
    read: () => (held !== undefined && now() < held.untilMs ? held.value : begin()),
    forget: () => {
      held = undefined;
    },
  };
}

/** Three tries of at most 5 seconds each, in the region that the ARN names, which need not be the function's own. */
function createClient(arn: string): SecretsManagerClient {
  const region = /^arn:[\w-]+:secretsmanager:([\w-]+):/.exec(arn)?.[1];
  return new SecretsManagerClient({
    maxAttempts: 3,
    retryMode: 'standard',
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    ...(region === undefined ? {} : { region }),
  });
}

/** What only a person can put right: the secret is not there, or not for us. */
const hopeless = new Set([
  'AccessDeniedException',
  'DecryptionFailure',
  'InvalidParameterException',
  'InvalidRequestException',
  'ResourceNotFoundException',
  'ValidationException',
]);

function failureOf(error: unknown, name: string): RetryableError | TerminalError {
  const failure = awsFailure(error, `reading secret ${name}`);
  return hopeless.has(awsErrorName(error))
    ? new TerminalError('unreadable_secret', failure.message)
    : failure;
}

function valueIn(text: string | undefined, name: string): string {
  const value = single(text ?? '')?.trim();
  if (value !== undefined && value !== '') return value;
  throw new TerminalError(
    'unusable_secret',
    `secret ${name} must hold a text, or a JSON object with one string or a string under "value"`,
  );
}

/** The one value of a secret's text; undefined for an object that does not say which of its values is meant. */
function single(text: string): string | undefined {
  const object = objectIn(text);
  if (object === undefined) return text;
  const only = Object.values(object);
  const value = Object.hasOwn(object, 'value') ? object['value'] : only.length === 1 ? only[0] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A password may begin with a brace; the parser's error would quote it.
    return undefined;
  }
}
