import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { Model } from '../ports.ts';
import { clientSettings, createMessagesModel } from './messages-model.ts';

export interface ClaudeOptions {
  /** Beats `authToken`. @default `ANTHROPIC_API_KEY`, or another credential that the SDK finds */
  readonly apiKey?: string;
  /** @default `ANTHROPIC_AUTH_TOKEN`, where no key is given or set */
  readonly authToken?: string;
  /** Without `/v1`. @default `ANTHROPIC_BASE_URL`, or the vendor's */
  readonly baseURL?: string;
  readonly fetch?: typeof fetch;
  /** Laid over those of `ANTHROPIC_CUSTOM_HEADERS`. */
  readonly defaultHeaders?: Readonly<Record<string, string>>;
  /** Asked after a 401: whether there is another key by now. @default there is none */
  readonly replaced?: () => Promise<boolean>;
}

/** The model behind the vendor's own API, or a server that speaks it. */
export function createClaude(options: ClaudeOptions = {}): Model {
  const client = clientOf(options);
  return createMessagesModel({
    client: () => client,
    fetch: options.fetch,
    ...(options.replaced === undefined ? {} : { replaced: options.replaced }),
    remedy: 'set ANTHROPIC_API_KEY or MODEL_SECRET_ARN',
  });
}

/** With a key or token given, the SDK reads neither the environment nor a profile on disk for another credential. */
function clientOf({ apiKey, authToken, baseURL, defaultHeaders }: ClaudeOptions): BaseAnthropic {
  return new BaseAnthropic({
    ...clientSettings,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(authToken === undefined || apiKey !== undefined ? {} : { authToken }),
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(defaultHeaders === undefined ? {} : { defaultHeaders: { ...defaultHeaders } }),
  });
}
