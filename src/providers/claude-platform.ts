import { createClaudePlatform } from '../adapters/claude-platform.ts';
import { createSqsClient } from '../adapters/sqs.ts';
import { TerminalError } from '../core/errors.ts';
import type { Provider } from './provider.ts';

export const provider: Provider = {
  name: 'claude-platform',
  createModel: ({ ANTHROPIC_AWS_WORKSPACE_ID: workspaceId }) => {
    if (workspaceId === undefined) {
      const message =
        'settings are missing or wrong: ANTHROPIC_AWS_WORKSPACE_ID: required for claude-platform';
      throw new TerminalError('invalid_settings', message);
    }
    return createClaudePlatform({ workspaceId, credentials: createSqsClient().config.credentials });
  },
};
