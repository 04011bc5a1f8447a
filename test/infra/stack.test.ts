import { RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { AgentWorker } from '../../infra/agent-worker.ts';
import { TreadleStack } from '../../infra/treadle-stack.ts';
import { routes } from '../../src/api/routes.ts';
import { metrics } from '../../src/core/metrics.ts';
import { type KeyPair, tableShape } from '../../src/core/table.ts';
import { apiSettings, storeSettings, telemetrySettings, workerSettings } from '../../src/settings.ts';
import { at, everything, type Synthesised, synthesise, testApp } from './synthesised.ts';

const stack = synthesise();
const full = synthesise(everything);

const environmentOf = (of: Synthesised, name: string): Readonly<Record<string, unknown>> =>
  at(of.one('Lambda::Function', `${name}Function`), 'Environment.Variables');

describe('the table', () => {
  const table = stack.one('DynamoDB::Table');

  it('is the one that the local stand-in makes', () => {
    const schema = ({ partition, sort }: KeyPair) => [
      { AttributeName: partition.name, KeyType: 'HASH' },
      { AttributeName: sort.name, KeyType: 'RANGE' },
    ];
    const pairs = [tableShape.key, ...Object.values(tableShape.indexes)];
    const attributes = pairs.flatMap(({ partition, sort }) => [partition, sort]);
    expect(table.Properties).toMatchObject({
      KeySchema: schema(tableShape.key),
      TimeToLiveSpecification: { AttributeName: tableShape.expiry, Enabled: true },
      GlobalSecondaryIndexes: Object.entries(tableShape.indexes).map(([IndexName, pair]) => ({
        IndexName,
        KeySchema: schema(pair),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    });
    expect(new Set(at<readonly unknown[]>(table, 'AttributeDefinitions'))).toEqual(
      new Set(attributes.map(({ name, type }) => ({ AttributeName: name, AttributeType: type }))),
    );
  });

  it('is paid by use, can be restored, and outlives its stack unless told otherwise', () => {
    expect(table).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    });
    const gone = synthesise(() => ({ removalPolicy: RemovalPolicy.DESTROY }));
    expect(gone.one('DynamoDB::Table')).toMatchObject({
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: false },
    });
  });
});

const storeNames = Object.keys(storeSettings.shape);
const telemetryNames = Object.keys(telemetrySettings.shape);
/**
 * The secret itself is never in an environment: it would be for everybody to read who may look at the function. The
 * others are Lambda's own, or for whoever needs them to add.
 */
const neverSet = new Set([
  ...['WEBHOOK_SECRET', 'AWS_LAMBDA_FUNCTION_NAME', 'OTEL_SDK_DISABLED'],
  'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE',
]);

describe('the environment of a function', () => {
  const kinds: readonly Synthesised[] = [
    full,
    synthesise({ auth: { type: 'jwt', issuer: 'https://i.example', audience: ['a'], tenantClaim: 't' } }),
    synthesise({ model: { type: 'claude-platform', workspaceId: 'wrkspc_1' } }),
    synthesise({ model: { type: 'bedrock', modelIds: { 'claude-haiku-5-5': 'global.x' } } }),
  ];
  const read: Readonly<Record<string, readonly string[]>> = {
    Worker: [...Object.keys(workerSettings.shape), ...telemetryNames],
    Api: [...Object.keys(apiSettings.shape), ...telemetryNames],
    Reconciler: [...storeNames, ...telemetryNames],
    DeadLetterConsumer: storeNames,
  };

  it.each(Object.keys(read))(
    'of %s: each variable that is read is set by some prop, and none else',
    (name) => {
      const set = new Set(kinds.flatMap((kind) => Object.keys(environmentOf(kind, name))));
      const wanted = (read[name] ?? []).filter((one) => !neverSet.has(one));
      expect([...set].sort()).toEqual([...new Set(wanted)].sort());
    },
  );

  it('holds without any prop what has no default', () => {
    expect(Object.keys(environmentOf(stack, 'Reconciler'))).toEqual(['TABLE_NAME', 'QUEUE_URL']);
    expect(environmentOf(stack, 'Worker')).toMatchObject({
      MODEL_PROVIDER: 'anthropic',
      MODEL_SECRET_ARN: { Ref: stack.idOf('SecretsManager::Secret') },
    });
  });

  it('tells those that end jobs where telemetry goes, by whom the model is served, and no secret', () => {
    for (const name of ['Worker', 'Api', 'Reconciler'])
      expect(environmentOf(full, name)).toMatchObject({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example.com',
        TREADLE_OTLP_HEADERS_SECRET_ARN: { Ref: full.idOf('SecretsManager::Secret', 'Collector') },
        MODEL_PROVIDER: 'anthropic',
      });
    const byAws = synthesise({
      model: { type: 'bedrock' },
      telemetry: { endpoint: 'http://localhost:4318' },
    });
    expect(environmentOf(byAws, 'Reconciler')).toMatchObject({ MODEL_PROVIDER: 'bedrock' });
    expect(environmentOf(byAws, 'Reconciler')).not.toHaveProperty('TREADLE_OTLP_HEADERS_SECRET_ARN');
    for (const name of ['Worker', 'Api', 'Reconciler'])
      expect(Object.keys(environmentOf(stack, name)).join()).not.toMatch(/OTEL|OTLP/);
  });

  it('can be read by the settings, values and all', () => {
    const plain = Object.entries(environmentOf(full, 'Api')).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : 'https://known.when/deployed',
    ]);
    expect(apiSettings.parse(Object.fromEntries(plain))).toMatchObject({
      TENANT_DAILY_USD: 5,
      RETENTION_DAYS: 30,
      TENANT_ROLES: { 'arn:aws:iam::123456789012:role/a': 'a' },
      CONTROL_ROLES: ['arn:aws:iam::123456789012:role/a'],
    });
  });

  it('names roles that are made in the same stack', () => {
    const of = synthesise((scope) => {
      const role = new Role(scope, 'Team', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
      expect(Token.isUnresolved(role.roleArn)).toBe(true);
      return { auth: { type: 'iam', tenantRoles: { [role.roleArn]: 'team' } } };
    });
    expect(environmentOf(of, 'Api')['TENANT_ROLES']).toEqual({
      'Fn::Join': ['', ['{"', { 'Fn::GetAtt': [of.idOf('IAM::Role', 'Team'), 'Arn'] }, '":"team"}']],
    });
  });
});

describe('the model', () => {
  it('has a secret without a value, which a person fills', () => {
    const secret = stack.one('SecretsManager::Secret');
    expect(Object.keys(secret.Properties)).toEqual(['Description']);
    expect(secret.DeletionPolicy).toBe('Retain');
  });

  it.each([
    ['claude-platform', { type: 'claude-platform', workspaceId: 'wrkspc_1' }, 'aws-external-anthropic'],
    ['bedrock', { type: 'bedrock' }, 'bedrock-mantle'],
  ] as const)('of %s is reached by the role of the worker alone, without any secret', (_, model, service) => {
    const of = synthesise({ model });
    expect(of.all('SecretsManager::Secret')).toEqual([]);
    const may = of
      .all('IAM::Policy')
      .filter(([, policy]) => JSON.stringify(policy).includes(`${service}:CreateInference`));
    expect(may.map(([id]) => id)).toEqual([of.idOf('IAM::Policy', 'AgentsWorkerRole')]);
    expect(JSON.stringify(may)).toMatch(/:(workspace\/wrkspc_1|project\/default)"/);
  });
});

describe('the API', () => {
  const authOf = (of: Synthesised): readonly string[] =>
    of.all('ApiGatewayV2::Route').map(([, route]) => at<string>(route, 'AuthorizationType'));

  it('has each route of the table once, and no other', () => {
    const keys = stack.all('ApiGatewayV2::Route').map(([, { Properties }]) => Properties['RouteKey']);
    expect(keys.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('asks everybody for a signature', () => {
    expect(new Set(authOf(stack))).toEqual(new Set(['AWS_IAM']));
  });

  it('takes, where it knows callers by token, the scopes of the permission of each route', () => {
    const of = synthesise({
      auth: { type: 'jwt', issuer: 'https://id.example', audience: ['treadle'], tenantClaim: 'org' },
    });
    expect(new Set(authOf(of))).toEqual(new Set(['JWT']));
    expect(of.one('ApiGatewayV2::Authorizer').Properties).toMatchObject({
      JwtConfiguration: { Audience: ['treadle'], Issuer: 'https://id.example' },
    });
    const scopes = new Map(
      of
        .all('ApiGatewayV2::Route')
        .map(([, route]) => [
          at<string>(route, 'RouteKey'),
          at<readonly string[]>(route, 'AuthorizationScopes'),
        ]),
    );
    expect(scopes.get('GET /jobs')).toEqual(['treadle/read', 'treadle/submit']);
    expect(scopes.get('POST /jobs')).toEqual(['treadle/submit']);
    expect(scopes.get('POST /jobs/{id}/approvals/{callId}')).toEqual(['treadle/approve']);
    expect(scopes.get('POST /jobs/{id}/extend')).toEqual(['treadle/spend']);
    expect(scopes.get('POST /control/stop')).toEqual(['treadle/control']);
    expect([...scopes.values()].every((one) => one.length > 0)).toBe(true);
  });

  it('is throttled, and logs who asked for which route, as JSON', () => {
    const stage = stack.one('ApiGatewayV2::Stage');
    const { DefaultRouteSettings, StageName } = stage.Properties;
    const format = at<string>(stage, 'AccessLogSettings.Format');
    expect(StageName).toBe('$default');
    expect(DefaultRouteSettings).toMatchObject({ ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 });
    expect(JSON.parse(format)).toMatchObject({
      route: '$context.routeKey',
      status: '$context.status',
    });
    expect(format).not.toMatch(/path|query|body|header/i);
  });

  it('lets a caller do what it was granted, route by route', () => {
    const app = testApp();
    const scope = new TreadleStack(app, 'Granting');
    const caller = new Role(scope, 'Caller', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
    scope.agentWorker.grantCall(caller, 'submit', 'read');
    const policies = Template.fromStack(scope).findResources('AWS::IAM::Policy');
    const text = JSON.stringify(Object.entries(policies).filter(([id]) => id.startsWith('Caller')));
    const paths = [...text.matchAll(/\/\$default\/(\w+\/[^"]*)"/g)].map(([, path]) => path);
    const may = routes.filter(({ permission }) => permission === 'submit' || permission === 'read');
    expect(paths.sort()).toEqual(
      may.map(({ method, path }) => `${method}${path.replaceAll(/\{\w+\}/g, '*')}`).sort(),
    );
  });
});

it.each(['read', 'submit', 'approve', 'spend', 'control'] as const)(
  'a grant of %s opens no route that takes another permission',
  (granted) => {
    const scope = new TreadleStack(testApp(), 'Granting');
    const caller = new Role(scope, 'Caller', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
    scope.agentWorker.grantCall(caller, granted);
    const text = JSON.stringify(Template.fromStack(scope).findResources('AWS::IAM::Policy'));
    const patterns = [...text.matchAll(/\/\$default\/([^"]+)"/g)].map(
      ([, path = '']) => new RegExp(`^${path.replaceAll('*', '.*')}$`),
    );
    const open = routes.filter(({ method, path }) =>
      patterns.some((pattern) => pattern.test(method + path.replaceAll(/\{\w+\}/g, 'id_1'))),
    );
    expect(open.length).toBeGreaterThan(0);
    expect(new Set(open.map(({ permission }) => permission))).toEqual(new Set([granted]));
  },
);

describe('an alarm', () => {
  const alarms = full.all('CloudWatch::Alarm').map(([, { Properties }]) => Properties);
  const anchors = alarms.map(({ AlarmDescription }) => String(AlarmDescription).split('docs/operate.md#')[1]);

  it('names its section of the runbook', () => {
    expect(anchors.sort()).toEqual(
      [
        ...['approvals-about-to-expire', 'dead-letter-consumer-down', 'dead-letters', 'function-errors'],
        ...['invocations-per-hour', 'oldest-due', 'spend-per-hour', 'stalled-jobs', 'throttles'],
        'unsettled-money',
      ].sort(),
    );
  });

  it('tells the topic when it rings and when it stops; without one nobody', () => {
    const topic = [{ Ref: full.idOf('SNS::Topic') }];
    for (const alarm of alarms) expect(alarm).toMatchObject({ AlarmActions: topic, OKActions: topic });
    for (const [, { Properties }] of stack.all('CloudWatch::Alarm')) {
      expect(Properties).not.toHaveProperty('AlarmActions');
    }
  });

  it('is on each thing that the reconciler measures, of this table', () => {
    const own = alarms.filter(({ Namespace }) => Namespace === 'Treadle');
    expect(own.map(({ MetricName }) => MetricName).sort()).toEqual(
      Object.values(metrics)
        .map(({ name }) => name)
        .sort(),
    );
    const table = full.idOf('DynamoDB::Table');
    for (const { Dimensions } of own) {
      expect(Dimensions).toEqual([{ Name: 'TableName', Value: { Ref: table } }]);
    }
  });

  it('rings from where the props say', () => {
    const of = synthesise({ alarmAt: { spendPerHourUsd: 50 }, maxConcurrency: 4 });
    expect(of.one('CloudWatch::Alarm', 'spendperhour').Properties['Threshold']).toBe(50);
    expect(of.one('CloudWatch::Alarm', 'invocationsperhour').Properties['Threshold']).toBe(14_400);
  });

  it('of errors and throttles watches every function', () => {
    for (const within of ['functionerrors', 'throttles']) {
      const { Metrics } = full.one('CloudWatch::Alarm', within).Properties;
      const seen = JSON.stringify(Metrics);
      for (const [id] of full.all('Lambda::Function')) expect(seen).toContain(`"${id}"`);
    }
  });
});

describe('the stack', () => {
  it('says what its people need to know', () => {
    const template = Template.fromStack(new TreadleStack(testApp(), 'Own'));
    expect(Object.keys(template.findOutputs('*')).sort()).toEqual(
      ['ApiUrl', 'Dashboard', 'DeadLetterQueueUrl', 'ModelSecretArn', 'QueueUrl', 'TableName'].sort(),
    );
  });

  it('may hold several workers, and two stacks may have the same', () => {
    const app = testApp();
    const scopes = ['One', 'Two'].map((id) => new Stack(app, id));
    for (const scope of scopes) for (const id of ['A', 'B']) new AgentWorker(scope, id);
    const names = scopes.flatMap((scope) => {
      const found = Template.fromStack(scope).findResources('AWS::SQS::Queue', {
        Properties: { QueueName: Match.anyValue() },
      });
      return Object.values(found).map(({ Properties }) => Properties.QueueName);
    });
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,80}$/);
  });

  it('looks for what is due every minute', () => {
    expect(stack.one('Events::Rule').Properties['ScheduleExpression']).toBe('rate(1 minute)');
  });
});
