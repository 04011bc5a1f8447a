import { TerminalError } from '../core/errors.ts';
import type { Model, ModelOutcome } from '../ports.ts';
import { type ClaudeOptions, createClaude } from './claude.ts';
import { notBilled } from './messages-model.ts';
import type { Secret } from './secrets.ts';

export interface ClaudeBySecretOptions extends Pick<ClaudeOptions, 'baseURL' | 'fetch'> {
  readonly secret: Secret;
}

/**
 * The model with a key that is kept elsewhere and may be replaced at any time. A 401 makes the secret be read anew: with
 * another key in it the same request is asked again a little later, with the same key the job ends as one that is not
 * configured. Nothing is read before the first request.
 */
export function createClaudeBySecret({ secret, ...options }: ClaudeBySecretOptions): Model {
  let made: { readonly key: string; readonly model: Model } | undefined;
  const modelFor = (key: string): Model => {
    if (made?.key === key) return made.model;
    const replaced = async (): Promise<boolean> => {
      secret.forget();
      return (await secret.read()) !== key;
    };
    made = {
      key,
      model: createClaude({ ...options, apiKey: key, replaced: () => replaced().catch(() => true) }),
    };
    return made.model;
  };
  return {
    ask: async (request, signal) => {
      let key: string;
      try {
        key = await secret.read();
      } catch (error) {
        return unread(error);
      }
      return modelFor(key).ask(request, signal);
    },
  };
}

/** The messages of a secret's errors name it and never hold it. */
function unread(error: unknown): ModelOutcome {
  const words = error instanceof Error ? error.message : '';
  const problem = 'the key of the model cannot be read';
  return error instanceof TerminalError
    ? { type: 'refused', reason: 'configuration', problem: `${problem}: look at MODEL_SECRET_ARN`, words }
    : notBilled(problem);
}
