import { once } from './once.ts';
import type { Notifier } from './ports.ts';
import { secretLater } from './secret-later.ts';

/** Who is told, by the settings: each undefined where the deployment has none. */
export interface NotifierSettings {
  /** Name or ARN of an event bus. */
  readonly EVENT_BUS_NAME?: string | undefined;
  /** The secret in Secrets Manager that signs webhooks. */
  readonly WEBHOOK_SECRET_ARN?: string | undefined;
  /** The secret itself, where there is no Secrets Manager. */
  readonly WEBHOOK_SECRET?: string | undefined;
}

/**
 * The notifier by the settings. Nothing is sent, no secret read and no client loaded before there is something to tell:
 * most invocations tell nobody, and each module counts at a cold start.
 */
export function notifierFrom(settings: NotifierSettings): Notifier {
  const { EVENT_BUS_NAME: busName, WEBHOOK_SECRET_ARN: arn, WEBHOOK_SECRET: text } = settings;
  const secret =
    text !== undefined ? async () => text : arn === undefined ? undefined : secretLater(arn).read;
  return {
    events: busName === undefined ? undefined : eventsOf(busName),
    webhook: secret && webhookOf(secret),
  };
}

function eventsOf(busName: string): NonNullable<Notifier['events']> {
  const made = once(async () => (await import('./adapters/event-bridge.ts')).createEventBridge({ busName }));
  return { publish: async (notice) => (await made()).publish(notice) };
}

function webhookOf(secret: () => Promise<string>): NonNullable<Notifier['webhook']> {
  const made = once(async () =>
    (await import('./adapters/webhook.ts')).createWebhook({ secret, now: Date.now }),
  );
  return { post: async (url, notice) => (await made()).post(url, notice) };
}
