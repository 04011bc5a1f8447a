import type * as z from 'zod';
import { TerminalError } from '../core/errors.ts';
import type { Model } from '../ports.ts';
import type { ModelProvider, workerSettings } from '../settings.ts';

export type ModelSettings = z.output<typeof workerSettings>;

/** Who serves the model. A bundle holds one, as `#provider`, so that nobody carries the SDKs of the others. */
export interface Provider {
  readonly name: ModelProvider;
  /** Asks and reads nothing before the first request. */
  readonly createModel: (settings: ModelSettings) => Model;
}

/** The model by the settings, of the provider that is there. */
export function modelFrom(provider: Provider, settings: ModelSettings): Model {
  if (settings.MODEL_PROVIDER === provider.name) return provider.createModel(settings);
  const message = `MODEL_PROVIDER is ${settings.MODEL_PROVIDER}, and the function was bundled for ${provider.name}`;
  throw new TerminalError('invalid_settings', message);
}
