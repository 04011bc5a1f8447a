import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';

/** Who serves the model. With AWS no key exists: the worker's role is allowed to ask. */
export type ModelProps =
  | {
      readonly type: 'anthropic';
      /** Holds the API key. @default a new secret without a value, to be filled by a person */
      readonly secret?: ISecret;
    }
  | {
      readonly type: 'claude-platform';
      /** `wrkspc_…`, a workspace of this account in the region of the stack. */
      readonly workspaceId: string;
    }
  | {
      readonly type: 'bedrock';
      /** Our name of a model to Bedrock's id. @default the name with `anthropic.` before it */
      readonly modelIds?: Readonly<Record<string, string>>;
    };

/** Who may call the API, and as which tenant. */
export type AuthProps =
  | {
      readonly type: 'iam';
      /** ARN of a role to its tenant; other callers are refused. @default all callers are tenant `default` */
      readonly tenantRoles?: Readonly<Record<string, string>>;
      /** ARNs of roles that may stop every tenant. @default none; without `tenantRoles` whoever may call `/control` */
      readonly controlRoles?: readonly string[];
    }
  | {
      readonly type: 'jwt';
      /** `https://…`, as in the token's `iss`. */
      readonly issuer: string;
      /** Of which the token's `aud` must name one. */
      readonly audience: readonly string[];
      /** The claim that names the tenant. */
      readonly tenantClaim: string;
    };

/** From where on an alarm rings. */
export interface AlarmLimits {
  /** US dollars that the jobs cost which ended in one hour. @default 10 */
  readonly spendPerHourUsd?: number;
  /** The part of it whose outcome is unknown. @default 1 */
  readonly unsettledPerHourUsd?: number;
  /** Invocations of the worker in one hour. @default 3600 for each place of `maxConcurrency`: one a second */
  readonly invocationsPerHour?: number;
}

/** Who is told of each step and each end, by OpenTelemetry: names, states and figures, never content. */
export interface TelemetryProps {
  /** The base of OTLP over HTTP, to which `/v1/traces` and `/v1/metrics` are added: `https://…`, or `http://` for a collector beside the function. */
  readonly endpoint: string;
  /** Its text is one of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,…`. Needs `https`. @default no headers */
  readonly headersSecret?: ISecret;
}

export interface AgentWorkerProps {
  /** A module that exports `agents`, seen from the working directory; bundled with what it imports. @default the shipped agent `triage` */
  readonly agents?: string;
  /** @default the API of Anthropic, with a new secret for the key */
  readonly model?: ModelProps;
  /** @default IAM, and every caller of the account is tenant `default` */
  readonly auth?: AuthProps;
  /** What the jobs of one tenant that are admitted on one day in UTC may cost together, in US dollars. @default no bound */
  readonly tenantDailyUsd?: number;
  /** How long an ended job or batch is kept, 1 to 3650 days. @default 90 */
  readonly retentionDays?: number;
  /** Invocations of the worker at once, 2 to 1000, of ten steps each. Fewer fill their batches better and cost less. @default 10 */
  readonly maxConcurrency?: number;
  /** What an invocation of the worker may take, 30 to 900 seconds: longer than the slowest model call. @default 120 seconds */
  readonly workerTimeout?: Duration;
  /** Signs webhooks, by the scheme of Standard Webhooks. @default none, and jobs with a webhook are refused */
  readonly webhookSecret?: ISecret;
  /** Is told when jobs end or wait for a person, and when batches end. @default nobody */
  readonly eventBus?: IEventBus;
  /** @default nobody, and no code for it is deployed */
  readonly telemetry?: TelemetryProps;
  /** Prices of models laid over the built-in table, as in `TREADLE_PRICES`. @default the built-in table */
  readonly prices?: Readonly<Record<string, unknown>>;
  /** Is told when an alarm rings and when it stops. @default nobody: alarms are to be seen in CloudWatch only */
  readonly alarmTopic?: ITopic;
  /** @default see `AlarmLimits` */
  readonly alarmAt?: AlarmLimits;
  /** How long logs are kept. @default one month */
  readonly logRetention?: RetentionDays;
  /** What becomes of the table and the model's secret when the stack is deleted. @default they are kept, and the table cannot be deleted by mistake */
  readonly removalPolicy?: RemovalPolicy;
}
