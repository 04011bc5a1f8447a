import { createClaude } from '../adapters/claude.ts';
import { createClaudeBySecret } from '../adapters/claude-by-secret.ts';
import { secretLater } from '../secret-later.ts';
import type { Provider } from './provider.ts';

export const provider: Provider = {
  name: 'anthropic',
  createModel: ({ MODEL_SECRET_ARN: arn }) =>
    arn === undefined ? createClaude() : createClaudeBySecret({ secret: secretLater(arn) }),
};
