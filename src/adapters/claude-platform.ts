import { AnthropicAws } from '@anthropic-ai/aws-sdk';
import type { Model } from '../ports.ts';
import type { AwsAccess } from './aws-access.ts';
import { clientSettings, createMessagesModel } from './messages-model.ts';

export interface ClaudePlatformOptions extends AwsAccess {
  readonly workspaceId: string;
}

/** Claude Platform on AWS: the vendor's API and models, signed for by a role. */
export function createClaudePlatform({ fetch, credentials, ...options }: ClaudePlatformOptions): Model {
  return createMessagesModel({
    client: () =>
      new AnthropicAws({ ...clientSettings, ...options, providerChainResolver: async () => credentials }),
    fetch,
    remedy: 'set AWS_REGION and ANTHROPIC_AWS_WORKSPACE_ID',
  });
}
