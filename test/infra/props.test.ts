import { Duration } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import type { AgentWorkerProps } from '../../infra/props.ts';
import { synthesise } from './synthesised.ts';

const arn = 'arn:aws:iam::123456789012:role/a';
const jwt = { type: 'jwt', issuer: 'https://i.example', audience: ['a'], tenantClaim: 't' } as const;

const refused: readonly (readonly [AgentWorkerProps, string])[] = [
  [{ maxConcurrency: 1 }, 'maxConcurrency must be a whole number of 2 to 1000, not 1'],
  [{ maxConcurrency: 2.5 }, 'maxConcurrency must be a whole number of 2 to 1000, not 2.5'],
  [{ maxConcurrency: 1_001 }, 'maxConcurrency must be a whole number of 2 to 1000, not 1001'],
  [{ maxConcurrency: Number.NaN }, 'maxConcurrency must be a whole number of 2 to 1000, not NaN'],
  [{ workerTimeout: Duration.seconds(29) }, 'workerTimeout must be a whole number of 30 to 900, not 29'],
  [{ workerTimeout: Duration.minutes(16) }, 'workerTimeout must be a whole number of 30 to 900, not 960'],
  [{ tenantDailyUsd: 0 }, 'tenantDailyUsd must be dollars above 0, not 0'],
  [
    { tenantDailyUSD: 20 } as never,
    'there is no prop tenantDailyUSD; there are: agents, model, auth, tenantD',
  ],
  [{ alarmAt: { spendPerDay: 1 } as never }, 'alarmAt has no spendPerDay; there are: spendPerHourUsd, '],
  [{ auth: { type: 'iam', tenants: {} } as never }, 'auth has no tenants; there are: type, tenantRoles, '],
  [{ auth: { ...jwt, tenantRoles: {} } as never }, 'auth has no tenantRoles; there are: type, issuer, '],
  [{ model: { type: 'bedrock', secret: {} } as never }, 'model has no secret; there are: type, modelIds'],
  [
    { auth: { type: 'iam', tenantRoles: { [arn]: 'a' }, controlRoles: [`${arn}b`] } },
    `auth.controlRoles must be roles that have a tenant in auth.tenantRoles too, not "${arn}b"`,
  ],
  [{ alarmTopic: 'arn:x' as never }, 'alarmTopic must be a topic of SNS, a construct, not "arn:x"'],
  [{ eventBus: 'x' as never }, 'eventBus must be an event bus, a construct, not "x"'],
  [
    { webhookSecret: 'x' as never },
    'webhookSecret must be a secret of Secrets Manager, a construct, not "x"',
  ],
  [
    { model: { type: 'anthropic', secret: 'x' as never } },
    'model.secret must be a secret of Secrets Manager',
  ],
  [{ telemetry: {} as never }, 'telemetry.endpoint must be the base of OTLP over HTTP, http(s)://…'],
  [{ telemetry: 'https://x' as never }, 'telemetry must be an object with an endpoint, not "https://x"'],
  [{ telemetry: { endpoint: 'collector:4318' } }, 'telemetry.endpoint must be the base of OTLP over HTTP'],
  [{ telemetry: { endpoint: 'https://o.example/v1/traces' } }, 'telemetry.endpoint must be the base of OTLP'],
  [{ telemetry: { endpoint: 'https://user:word@o.example' } }, 'telemetry.endpoint must be the base of OTLP'],
  [
    { telemetry: { endpoint: 'https://o.example', headers: 'a=b' } as never },
    'telemetry has no headers; there are: endpoint, headersSecret',
  ],
  [
    { telemetry: { endpoint: 'https://o.example', headersSecret: 'a=b' as never } },
    'telemetry.headersSecret must be a secret of Secrets Manager, a construct',
  ],
  [
    { telemetry: { endpoint: 'http://o.example', headersSecret: { secretArn: 'arn' } as never } },
    'telemetry.endpoint must be https://… where a secret goes with each request, not "http://o.example"',
  ],
  [{ retentionDays: 0 }, 'retentionDays must be whole days, 1 to 3650, not 0'],
  [{ retentionDays: 3_651 }, 'retentionDays must be whole days, 1 to 3650, not 3651'],
  [{ agents: './none.ts' }, 'agents must be the name of a file that is there, not "./none.ts"'],
  [{ agents: './infra' }, 'agents must be the name of a file that is there, not "./infra"'],
  [
    { model: { type: 'openai' } as never },
    'model.type must be anthropic or claude-platform or bedrock, not "openai"',
  ],
  [
    { model: 'bedrock' as never },
    'model must be an object with a type, anthropic or claude-platform or bedrock, not "bedrock"',
  ],
  [{ model: null as never }, 'model must be an object with a type'],
  [{ auth: {} as never }, 'auth.type must be iam or jwt, not undefined'],
  [{ workerTimeout: 120 as never }, 'workerTimeout must be a Duration, not 120'],
  [{ workerTimeout: Duration.millis(30_500) }, 'workerTimeout must be a whole number of 30 to 900, not 30.5'],
  [{ alarmAt: { spendPerHourUsd: 0 } }, 'alarmAt.spendPerHourUsd must be a number of 0.01 or more, not 0'],
  [
    { prices: { 'claude-x': { input: 'much' } } },
    'prices cannot be read: the price table is not valid: Invalid input: expected number, received string at ["claude-x"].input',
  ],
  [{ auth: { type: 'iam', tenantRoles: { me: 'a' } } }, 'auth.tenantRoles must be ARNs of roles'],
  [{ auth: { type: 'iam', tenantRoles: { [arn]: 'a b' } } }, `not {"${arn}":"a b"}`],
  [{ auth: { type: 'iam', controlRoles: ['me'] } }, 'auth.controlRoles must be ARNs of roles, not "me"'],
  [{ auth: { ...jwt, issuer: 'http://i.example' } }, 'auth.issuer must be an https URL'],
  [{ auth: { ...jwt, audience: [] } }, 'auth.audience must be a list of one name at the least, not []'],
  [{ auth: { ...jwt, audience: [''] } }, 'auth.audience must be a list of one name at the least, not [""]'],
  [
    { auth: { ...jwt, audience: 'a' as never } },
    'auth.audience must be a list of one name at the least, not "a"',
  ],
  [{ auth: { ...jwt, tenantClaim: undefined as never } }, 'auth.tenantClaim must be a claim, not undefined'],
  [{ auth: { type: 'iam', controlRoles: arn as never } }, 'auth.controlRoles must be a list'],
  [{ auth: { ...jwt, tenantClaim: '' } }, 'auth.tenantClaim must be a claim, not ""'],
  [{ model: { type: 'claude-platform', workspaceId: 'w' } }, 'model.workspaceId must be wrkspc_…, not "w"'],
  [
    { model: { type: 'bedrock', modelIds: { a: '' } } },
    'model.modelIds must be names with the ids of Bedrock',
  ],
];

it.each(refused)('%j is refused with a sentence that names prop and value', (props, words) => {
  expect(() => synthesise(props)).toThrow(words);
});

it('more roles and prices than the environment of a function holds are refused', () => {
  const roles = Array.from({ length: 60 }, (_, at) => [`${arn}-of-a-team-${at}`, `team-${at}`]);
  const auth = { type: 'iam', tenantRoles: Object.fromEntries(roles) } as const;
  expect(() => synthesise({ auth })).toThrow(/auth and prices take \d+ characters .* room for 3200/);
});

it('takes what stands at the bounds', () => {
  const bounds = { maxConcurrency: 2, workerTimeout: Duration.seconds(900), retentionDays: 3_650 };
  expect(() => synthesise({ ...bounds, tenantDailyUsd: 0.01, auth: jwt })).not.toThrow();
});
