import { statSync } from 'node:fs';
import { type Duration, Token } from 'aws-cdk-lib';
import { readPrices } from '../src/core/prices.ts';
import { apiSettings, storeSettings } from '../src/settings.ts';
import { allowOnly, checkConstruct, must, typed } from './check-shape.ts';
import type { AgentWorkerProps, AlarmLimits, AuthProps, ModelProps, TelemetryProps } from './props.ts';

const propNames: Readonly<Record<keyof AgentWorkerProps, true>> = {
  agents: true,
  model: true,
  auth: true,
  tenantDailyUsd: true,
  retentionDays: true,
  maxConcurrency: true,
  workerTimeout: true,
  webhookSecret: true,
  eventBus: true,
  telemetry: true,
  prices: true,
  alarmTopic: true,
  alarmAt: true,
  logRetention: true,
  removalPolicy: true,
};

const alarmNames: Readonly<Record<keyof AlarmLimits, true>> = {
  spendPerHourUsd: true,
  unsettledPerHourUsd: true,
  invocationsPerHour: true,
};

/** Refuses what would only fail once it is deployed, with a sentence that names the prop and its value. */
export function checkProps(props: AgentWorkerProps): void {
  const { agents, auth, model, prices, workerTimeout, alarmAt = {} } = props;
  // Whoever misspells a bound would have none, and whoever runs without a type checker would not be told.
  allowOnly('', props, Object.keys(propNames));
  allowOnly('alarmAt', alarmAt, Object.keys(alarmNames));
  checkConstruct('webhookSecret', props.webhookSecret, 'secretArn', 'a secret of Secrets Manager');
  checkConstruct('eventBus', props.eventBus, 'eventBusArn', 'an event bus');
  checkConstruct('alarmTopic', props.alarmTopic, 'topicArn', 'a topic of SNS');
  if (agents !== undefined) {
    const isFile = typeof agents === 'string' && statSync(agents, { throwIfNoEntry: false })?.isFile();
    must(isFile === true, 'agents', 'the name of a file that is there', agents);
  }
  number('maxConcurrency', props.maxConcurrency, { least: 2, most: 1_000, whole: true });
  if (workerTimeout !== undefined)
    must(typeof workerTimeout.toSeconds === 'function', 'workerTimeout', 'a Duration', workerTimeout);
  number('workerTimeout', secondsOf(workerTimeout), { least: 30, most: 900, whole: true });
  setting('tenantDailyUsd', storeSettings.shape.TENANT_DAILY_USD, props.tenantDailyUsd, 'dollars above 0');
  setting('retentionDays', storeSettings.shape.RETENTION_DAYS, props.retentionDays, 'whole days, 1 to 3650');
  for (const [name, value] of Object.entries(alarmAt)) number(`alarmAt.${name}`, value, { least: 0.01 });
  if (prices !== undefined) checkPrices(prices);
  if (auth !== undefined) checkAuth(auth);
  checkRoom(auth, prices);
  if (model !== undefined) checkModel(model);
  if (props.telemetry !== undefined) checkTelemetry(props.telemetry);
}

/** Parts of a second as well: the bounds say what is wrong with them. */
const secondsOf = (duration: Duration | undefined): number | undefined =>
  duration === undefined || duration.isUnresolved() ? undefined : duration.toMilliseconds() / 1_000;

interface Bounds {
  readonly least: number;
  readonly most?: number;
  readonly whole?: boolean;
}

function number(prop: string, value: number | undefined, { least, most, whole = false }: Bounds): void {
  if (value === undefined || Token.isUnresolved(value)) return;
  const holds = value >= least && value <= (most ?? Number.MAX_VALUE) && (!whole || Number.isInteger(value));
  const upTo = most === undefined ? 'or more' : `to ${most}`;
  must(holds, prop, `${whole ? 'a whole number' : 'a number'} of ${least} ${upTo}`, value);
}

interface Schema {
  readonly safeParse: (value: unknown) => { readonly success: boolean };
}

function setting(prop: string, schema: Schema, value: unknown, wanted: string): void {
  if (value === undefined || Token.isUnresolved(value)) return;
  must(schema.safeParse(value).success, prop, wanted, value);
}

function checkPrices(prices: Readonly<Record<string, unknown>>): void {
  try {
    readPrices(JSON.stringify(prices));
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n✖');
    throw new Error(
      `AgentWorker: prices cannot be read: ${first.replace('✖ ', '').replace(/\s+→ at /, ' at ')}`,
    );
  }
}

/** Of the 4 KB that all variables of a function may take together, in characters: the rest is for those of every deployment. */
const ROOM = 3_200;

function checkRoom(auth: AuthProps | undefined, prices: AgentWorkerProps['prices']): void {
  const { length } = JSON.stringify([auth, prices]);
  if (length > ROOM)
    throw new Error(
      `AgentWorker: auth and prices take ${length} characters of a function's environment, which has room for ${ROOM}`,
    );
}

function checkAuth(auth: AuthProps): void {
  typed('auth', auth, ['iam', 'jwt']);
  switch (auth.type) {
    case 'iam': {
      allowOnly('auth', auth, ['type', 'tenantRoles', 'controlRoles']);
      for (const [arn, tenant] of Object.entries(auth.tenantRoles ?? {})) {
        const pair = JSON.stringify({ [Token.isUnresolved(arn) ? anyRole : arn]: tenant });
        const wanted = 'ARNs of roles, each with a tenant of 1 to 64 characters of A-Z, a-z, 0-9, _ and -';
        const { success } = apiSettings.shape.TENANT_ROLES.safeParse(pair);
        must(success, 'auth.tenantRoles', wanted, { [arn]: tenant });
      }
      must(Array.isArray(auth.controlRoles ?? []), 'auth.controlRoles', 'a list', auth.controlRoles);
      for (const arn of auth.controlRoles ?? []) {
        const { success } = apiSettings.shape.CONTROL_ROLES.safeParse(JSON.stringify([arn]));
        must(Token.isUnresolved(arn) || success, 'auth.controlRoles', 'ARNs of roles', arn);
        const mapped = auth.tenantRoles === undefined || Object.hasOwn(auth.tenantRoles, arn);
        must(mapped, 'auth.controlRoles', 'roles that have a tenant in auth.tenantRoles too', arn);
      }
      return;
    }
    case 'jwt': {
      const { audience } = auth;
      allowOnly('auth', auth, ['type', 'issuer', 'audience', 'tenantClaim']);
      must(known(auth.issuer, /^https:\/\/[^\s/]+\S*$/), 'auth.issuer', 'an https URL', auth.issuer);
      const named = Array.isArray(audience) && audience.length > 0 && !audience.includes('');
      must(named, 'auth.audience', 'a list of one name at the least', audience);
      must(known(auth.tenantClaim, /^[\w:./-]{1,128}$/), 'auth.tenantClaim', 'a claim', auth.tenantClaim);
      return;
    }
    default:
      auth satisfies never;
  }
}

const anyRole = 'arn:aws:iam::000000000000:role/any';

/** What is known only once it is deployed is taken as it is. */
const known = (text: unknown, pattern: RegExp): boolean =>
  Token.isUnresolved(text) || (typeof text === 'string' && pattern.test(text));

function checkModel(model: ModelProps): void {
  typed('model', model, ['anthropic', 'claude-platform', 'bedrock']);
  switch (model.type) {
    case 'anthropic':
      allowOnly('model', model, ['type', 'secret']);
      checkConstruct('model.secret', model.secret, 'secretArn', 'a secret of Secrets Manager');
      return;
    case 'claude-platform': {
      const { workspaceId } = model;
      allowOnly('model', model, ['type', 'workspaceId']);
      must(known(workspaceId, /^wrkspc_\w{1,100}$/), 'model.workspaceId', 'wrkspc_…', workspaceId);
      return;
    }
    case 'bedrock':
      allowOnly('model', model, ['type', 'modelIds']);
      for (const [name, id] of Object.entries(model.modelIds ?? {})) {
        must(known(id, /^\S+$/) && name !== '', 'model.modelIds', 'names with the ids of Bedrock', {
          [name]: id,
        });
      }
      return;
    default:
      model satisfies never;
  }
}

function checkTelemetry(telemetry: TelemetryProps): void {
  const isObject = typeof telemetry === 'object' && telemetry !== null;
  must(isObject, 'telemetry', 'an object with an endpoint', telemetry);
  const { endpoint, headersSecret } = telemetry;
  allowOnly('telemetry', telemetry, ['endpoint', 'headersSecret']);
  checkConstruct('telemetry.headersSecret', headersSecret, 'secretArn', 'a secret of Secrets Manager');
  // With /v1/traces at its end it would be sent to /v1/traces/v1/traces, and nobody would be told.
  const wanted = 'the base of OTLP over HTTP, http(s)://… without /v1/…';
  must(
    known(endpoint, /^https?:\/\/[^\s?#@]+$/) && !/\/v1\/\w+\/*$/.test(endpoint),
    'telemetry.endpoint',
    wanted,
    endpoint,
  );
  const clear = headersSecret !== undefined && !known(endpoint, /^https:/);
  must(!clear, 'telemetry.endpoint', 'https://… where a secret goes with each request', endpoint);
}
