import { AnthropicBedrockMantle } from '@anthropic-ai/bedrock-sdk/mantle-client';
import type { Model } from '../ports.ts';
import type { AwsAccess } from './aws-access.ts';
import { clientSettings, createMessagesModel } from './messages-model.ts';

export interface BedrockOptions extends AwsAccess {
  /** Ids of models that Bedrock calls otherwise than by the vendor's name with `anthropic.` before it. @default none */
  readonly modelIds?: Readonly<Record<string, string>>;
}

/**
 * Bedrock, at its endpoint that serves the Messages API itself, with automatic caching: the older one has another shape
 * of requests and refuses some of ours.
 */
export function createBedrock({ fetch, credentials, modelIds = {}, ...options }: BedrockOptions): Model {
  return createMessagesModel({
    client: () =>
      new AnthropicBedrockMantle({
        ...clientSettings,
        ...options,
        providerChainResolver: async () => credentials,
      }),
    fetch,
    idOf: (model) => (Object.hasOwn(modelIds, model) ? modelIds[model] : undefined) ?? `anthropic.${model}`,
    remedy: 'set AWS_REGION',
  });
}
