import type * as z from 'zod';
import type { apiSettings, storeSettings, telemetrySettings } from '../src/settings.ts';
import type { AgentWorkerProps, AuthProps } from './props.ts';

/** The variables that a function reads, none of them misspelt. */
type Environment<Settings extends z.ZodObject> = Readonly<
  Partial<Record<keyof z.input<Settings> & string, string>>
>;

/** Leaves out what is not set. */
function set(values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}

/** What every function is told: all of them must agree on who is told of what. */
export function storeEnvironment(
  { tableName, queueUrl }: { readonly tableName: string; readonly queueUrl: string },
  { tenantDailyUsd, retentionDays, eventBus, webhookSecret }: AgentWorkerProps,
): Readonly<Record<string, string>> {
  return set({
    TABLE_NAME: tableName,
    QUEUE_URL: queueUrl,
    TENANT_DAILY_USD: tenantDailyUsd?.toString(),
    RETENTION_DAYS: retentionDays?.toString(),
    EVENT_BUS_NAME: eventBus?.eventBusArn,
    WEBHOOK_SECRET_ARN: webhookSecret?.secretArn,
  } satisfies { [Name in keyof Environment<typeof storeSettings>]: string | undefined });
}

/** What those are told beside it that count money. */
export function priceEnvironment({ prices }: AgentWorkerProps): Readonly<Record<string, string>> {
  return set({ TREADLE_PRICES: prices && JSON.stringify(prices) });
}

/** What those are told that end jobs: to whom they tell it, and, as part of that, who serves the model. */
export function telemetryEnvironment(
  { telemetry }: AgentWorkerProps,
  MODEL_PROVIDER: string | undefined,
): Readonly<Record<string, string>> {
  if (telemetry === undefined) return {};
  return set({
    MODEL_PROVIDER,
    OTEL_EXPORTER_OTLP_ENDPOINT: telemetry.endpoint,
    TREADLE_OTLP_HEADERS_SECRET_ARN: telemetry.headersSecret?.secretArn,
  } satisfies { [Name in keyof Environment<typeof telemetrySettings>]: string | undefined });
}

/** What the API is told of its callers. */
export function authEnvironment(auth: AuthProps): Readonly<Record<string, string>> {
  type Told = { [Name in keyof Environment<typeof apiSettings>]: string | undefined };
  switch (auth.type) {
    case 'iam':
      return set({
        TENANT_ROLES: auth.tenantRoles && objectText(auth.tenantRoles),
        CONTROL_ROLES: auth.controlRoles && JSON.stringify(auth.controlRoles),
      } satisfies Told);
    case 'jwt':
      return set({ TENANT_CLAIM: auth.tenantClaim } satisfies Told);
    default:
      return auth satisfies never;
  }
}

/** Put together by hand: an ARN that is not known yet may be part of a text, but no key of an object. */
function objectText(object: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(object).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  return `{${pairs.join(',')}}`;
}
