import * as z from 'zod';
import { TerminalError } from './core/errors.ts';

const name = z.string().min(1);
const url = z.url();

/** What every function reads from its environment: all of them must agree on who is told. */
export const storeSettings = z.object({
  TABLE_NAME: name.min(3),
  QUEUE_URL: url,
  /** US dollars above 0: what the jobs of one tenant that are admitted on one day may cost together. */
  TENANT_DAILY_USD: z.coerce.number().min(0.000001).optional(),
  /** How long an ended job or batch is kept, in days. */
  RETENTION_DAYS: z.coerce.number().int().min(1).max(3_650).default(90),
  /** Name or ARN of the event bus that is told when jobs and batches end. */
  EVENT_BUS_NAME: name.optional(),
  /** The secret that signs webhooks: in Secrets Manager, or as it is. */
  WEBHOOK_SECRET_ARN: name.optional(),
  WEBHOOK_SECRET: name.optional(),
});

/** What the local stack reads from its environment beside what its command says. */
export const devSettings = storeSettings.pick({ TENANT_DAILY_USD: true });

/** A setting that is JSON text. */
function jsonSetting<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue('must be JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** Who may serve the model. */
export const modelProviders = ['anthropic', 'claude-platform', 'bedrock'] as const;
export type ModelProvider = (typeof modelProviders)[number];

/** What every function that counts money reads beside it: all of them must agree on what a model costs. */
export const priceSettings = storeSettings.extend({
  /** JSON text, or the name of a file that holds it: prices laid over the built-in table. */
  TREADLE_PRICES: name.optional(),
  /** Who serves the model, which is also who is paid. The worker must have been bundled for it. */
  MODEL_PROVIDER: z.enum(modelProviders).default('anthropic'),
});

/** What the worker reads from its environment beside the standard variables of the AWS and Anthropic SDKs. */
export const workerSettings = priceSettings.extend({
  /** The secret in Secrets Manager that holds the API key. @default `ANTHROPIC_API_KEY`, as the SDK reads it */
  MODEL_SECRET_ARN: name.optional(),
  /** The workspace of Claude Platform on AWS. */
  ANTHROPIC_AWS_WORKSPACE_ID: name.optional(),
  /** JSON: our name of a model to Bedrock's id, where that is not the name with `anthropic.` before it. */
  BEDROCK_MODEL_IDS: jsonSetting(z.record(name, name)).optional(),
});

/** An empty variable is as good as none, as OpenTelemetry has it. */
const orUnset = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

/** What whoever ends jobs reads of OpenTelemetry's standard variables; its SDK reads others by itself. */
export const telemetrySettings = priceSettings.pick({ MODEL_PROVIDER: true }).extend({
  /** The base of OTLP over HTTP. Without it nothing is sent. */
  OTEL_EXPORTER_OTLP_ENDPOINT: orUnset(z.url({ protocol: /^https?$/ })),
  /** The secret in Secrets Manager whose text is one of `OTEL_EXPORTER_OTLP_HEADERS`. */
  TREADLE_OTLP_HEADERS_SECRET_ARN: orUnset(name),
  OTEL_SDK_DISABLED: orUnset(z.string()),
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: orUnset(z.string()),
  /** As Lambda sets it. */
  AWS_LAMBDA_FUNCTION_NAME: orUnset(name),
});

const roleArn = z.string().regex(/^arn:aws[\w-]*:iam::\d{12}:role\/.+$/, 'must be the ARN of a role');
const tenantName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -');

/** What the API reads from its environment. */
export const apiSettings = priceSettings.extend({
  /** JSON: role ARN to tenant. Without it every caller of the account is tenant `default`. */
  TENANT_ROLES: jsonSetting(z.record(roleArn, tenantName)).optional(),
  /** JSON: a list of role ARNs that may use the kill switch of every tenant. */
  CONTROL_ROLES: jsonSetting(z.array(roleArn)).optional(),
  /** The claim of a JWT that names the tenant. */
  TENANT_CLAIM: name.optional(),
});

/** Reads the settings of a function once; fails naming the variables that are missing or wrong. */
export function readSettings<Shape extends z.ZodObject>(
  shape: Shape,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<Shape> {
  const parsed = shape.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw new TerminalError('invalid_settings', `settings are missing or wrong: ${problems}`);
}
