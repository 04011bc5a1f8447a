import { createEventBridge } from './adapters/event-bridge.ts';
import { createSecret } from './adapters/secrets.ts';
import { createWebhook } from './adapters/webhook.ts';
import type { Notifier } from './ports.ts';

/** Who is told, by the settings: each undefined where the deployment has none. */
export interface NotifierSettings {
  /** Name or ARN of an event bus. */
  readonly EVENT_BUS_NAME?: string | undefined;
  /** The secret in Secrets Manager that signs webhooks. */
  readonly WEBHOOK_SECRET_ARN?: string | undefined;
  /** The secret itself, where there is no Secrets Manager. */
  readonly WEBHOOK_SECRET?: string | undefined;
}

/** The notifier by the settings. Nothing is sent and no secret is read before there is something to tell. */
export function notifierFrom(settings: NotifierSettings): Notifier {
  const { EVENT_BUS_NAME: busName, WEBHOOK_SECRET_ARN: arn, WEBHOOK_SECRET: text } = settings;
  const now = Date.now;
  const secret =
    text !== undefined ? async () => text : arn === undefined ? undefined : createSecret({ arn, now }).read;
  return {
    events: busName === undefined ? undefined : createEventBridge({ busName }),
    webhook: secret && createWebhook({ secret, now }),
  };
}
