import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Alarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Grant, IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, type Function as LambdaFunction, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Permission } from '../src/api/identity.ts';
import type { FunctionName } from '../src/bundle.ts';
import { createAlarms, type Watched } from './alarms.ts';
import { checkProps } from './check-props.ts';
import { bundledCode } from './code.ts';
import { createDashboard } from './dashboard.ts';
import { authEnvironment, priceEnvironment, storeEnvironment, telemetryEnvironment } from './environment.ts';
import { createFunction, type FunctionSettings } from './functions.ts';
import { createEndpoint, grantRoutes } from './http-api.ts';
import { createModelAccess, type ModelAccess } from './model-access.ts';
import { allow, readStatements, storeStatements } from './permissions.ts';
import type { AgentWorkerProps, AuthProps, ModelProps } from './props.ts';
import { createQueues, type StepQueues } from './queues.ts';
import { createTable } from './table.ts';

/** The longest that a step, a consumer's batch, a request and a run of the reconciler may take. */
const WORKER_TIMEOUT = Duration.seconds(120);
const CONSUMER_TIMEOUT = Duration.seconds(30);
const API_TIMEOUT = Duration.seconds(29);
const RECONCILER_TIMEOUT = Duration.seconds(120);
const BATCH_SIZE = 10;
const MAX_CONCURRENCY = 10;

/** Permissions that routes ask for. */
export type RoutePermission = Exclude<Permission, 'control_all'>;

/**
 * Durable, budgeted agent loops: queue, table, functions, API, alarms. It is whole in itself; everything it is made of
 * can be reached by a field.
 */
export class AgentWorker extends Construct {
  readonly table: Table;
  readonly stepQueue: Queue;
  readonly deadLetterQueue: Queue;
  /** Runs agents and their tools: what these need of AWS is granted to it. */
  readonly worker: LambdaFunction;
  readonly reconciler: LambdaFunction;
  readonly deadLetterConsumer: LambdaFunction;
  readonly apiFunction: LambdaFunction;
  readonly api: HttpApi;
  /** Holds the key of the model. Undefined where the model is served by AWS. */
  readonly modelSecret: ISecret | undefined;
  readonly alarms: readonly Alarm[];
  readonly dashboard: Dashboard;
  readonly #auth: AuthProps;

  constructor(scope: Construct, id: string, props: AgentWorkerProps = {}) {
    super(scope, id);
    checkProps(props);
    const parts = partsOf(this, props);
    const { table, queues, model } = parts;
    this.table = table;
    this.stepQueue = queues.steps;
    this.deadLetterQueue = queues.deadLetters;
    this.modelSecret = model.secret;
    this.worker = createWorker(this, parts);
    this.reconciler = createReconciler(this, parts);
    this.deadLetterConsumer = createConsumer(this, parts);
    this.apiFunction = createApiFunction(this, parts);
    const { auth, logRetention } = parts;
    this.#auth = auth;
    this.api = createEndpoint(this, { handler: this.apiFunction, auth, logRetention });
    const functions = [this.worker, this.reconciler, this.deadLetterConsumer, this.apiFunction];
    const { alarmAt = {}, alarmTopic, maxConcurrency = MAX_CONCURRENCY } = props;
    const watched: Watched = { table, queues, worker: this.worker, functions, maxConcurrency, alarmAt };
    this.alarms = createAlarms(this, watched, alarmTopic);
    this.dashboard = createDashboard(this, watched, this.alarms);
  }

  /**
   * Lets a role or user call the routes that take one of these permissions, where callers are known by IAM. Whoever may
   * submit wants to read, so ask for both.
   */
  grantCall(caller: IGrantable, ...permissions: readonly RoutePermission[]): Grant {
    if (this.#auth.type !== 'iam')
      throw new Error(
        'AgentWorker: grantCall is for callers by IAM; with auth.type "jwt" the scopes of a token decide',
      );
    return grantRoutes(this.api, caller, permissions);
  }
}

/** What the functions are made of. */
interface Parts {
  readonly props: AgentWorkerProps;
  readonly table: Table;
  readonly queues: StepQueues;
  readonly model: ModelAccess;
  readonly auth: AuthProps;
  readonly workerTimeout: Duration;
  readonly logRetention: RetentionDays;
  /** What is the same for every function of that name. */
  readonly common: (name: FunctionName) => Pick<FunctionSettings, 'code' | 'logRetention' | 'environment'>;
}

function partsOf(scope: Construct, props: AgentWorkerProps): Parts {
  const {
    auth = { type: 'iam' },
    logRetention = RetentionDays.ONE_MONTH,
    workerTimeout = WORKER_TIMEOUT,
  } = props;
  const { removalPolicy = RemovalPolicy.RETAIN } = props;
  const modelProps: ModelProps = props.model ?? { type: 'anthropic' };
  const table = createTable(scope, removalPolicy);
  const queues = createQueues(scope, { workerTimeout, consumerTimeout: CONSUMER_TIMEOUT });
  const codeOf = bundledCode(scope, {
    ...{ agents: props.agents, prices: props.prices, provider: modelProps.type },
    telemetry: props.telemetry !== undefined,
  });
  const names = { tableName: table.tableName, queueUrl: queues.steps.queueUrl };
  const model = createModelAccess(scope, modelProps, removalPolicy);
  const telling = telemetryEnvironment(props, model.environment['MODEL_PROVIDER']);
  return {
    ...{ props, table, queues, auth, workerTimeout, logRetention },
    model,
    common: (name) => ({
      code: codeOf(name),
      logRetention,
      environment: { ...storeEnvironment(names, props), ...(endsJobs(name) ? telling : {}) },
    }),
  };
}

/** These tell of what they do, where anybody is told by telemetry. */
const endsJobs = (name: FunctionName): boolean => name !== 'dead-letter';

/** To read what goes with each request of telemetry. */
function telemetryStatements({ telemetry }: AgentWorkerProps, reader: IGrantable): PolicyStatement[] {
  const secret = telemetry?.headersSecret;
  return secret === undefined ? [] : readStatements(secret, reader);
}

function createWorker(scope: Construct, parts: Parts): LambdaFunction {
  const { props, table, queues, model, common, workerTimeout } = parts;
  const { eventBus, webhookSecret, maxConcurrency = MAX_CONCURRENCY } = props;
  const shared = common('worker');
  const worker = createFunction(scope, 'Worker', {
    ...shared,
    description: 'Runs up to ten steps of agent loops at once',
    timeout: workerTimeout,
    // Each step sends the next one: a loop without end by design, whose length the job's own limits bound.
    recursiveLoop: RecursiveLoop.ALLOW,
    environment: { ...shared.environment, ...priceEnvironment(props), ...model.environment },
    statements: (role) => [
      ...storeStatements('worker', table, queues),
      ...model.statementsFor(role),
      ...(webhookSecret === undefined ? [] : readStatements(webhookSecret, role)),
      ...(eventBus === undefined ? [] : allow(['events:PutEvents'], [eventBus.eventBusArn])),
      ...telemetryStatements(props, role),
    ],
  });
  // No window: with one, a message of a quiet queue may wait for 20 seconds, at every step.
  feed(worker, 'StepSource', queues.steps, { maxConcurrency });
  return worker;
}

/** Ten messages at once, and only those come again that failed. The role has been given what Lambda does with the queue. */
function feed(
  target: LambdaFunction,
  id: string,
  queue: Queue,
  limits: { readonly maxConcurrency: number },
): void {
  new EventSourceMapping(target, id, {
    target,
    eventSourceArn: queue.queueArn,
    batchSize: BATCH_SIZE,
    reportBatchItemFailures: true,
    ...limits,
  });
}

function createReconciler(scope: Construct, { props, table, queues, common }: Parts): LambdaFunction {
  const maxEventAge = Duration.minutes(1);
  const reconciler = createFunction(scope, 'Reconciler', {
    ...common('reconciler'),
    description: 'Every minute: looks at everything that is overdue, and measures',
    timeout: RECONCILER_TIMEOUT,
    // A run that was missed is made good by the next one.
    maxEventAge,
    statements: (role) => [
      ...storeStatements('reconciler', table, queues),
      ...telemetryStatements(props, role),
    ],
  });
  new Rule(scope, 'EveryMinute', {
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new FunctionTarget(reconciler, { retryAttempts: 0, maxEventAge })],
  });
  return reconciler;
}

function createConsumer(scope: Construct, { table, queues, common }: Parts): LambdaFunction {
  const consumer = createFunction(scope, 'DeadLetterConsumer', {
    ...common('dead-letter'),
    description: 'Keeps what the step queue gave up, and makes its jobs due',
    timeout: CONSUMER_TIMEOUT,
    statements: () => storeStatements('dead-letter', table, queues),
  });
  feed(consumer, 'DeadLetterSource', queues.deadLetters, { maxConcurrency: 2 });
  return consumer;
}

function createApiFunction(scope: Construct, parts: Parts): LambdaFunction {
  const { props, table, queues, auth, model, common } = parts;
  const shared = common('api');
  const { MODEL_PROVIDER = 'anthropic' } = model.environment;
  return createFunction(scope, 'Api', {
    ...shared,
    description: 'Answers the HTTP API',
    timeout: API_TIMEOUT,
    // A file of 5,000 rows is read and stored within one request, and computing power comes with memory.
    memorySize: 1024,
    environment: {
      ...shared.environment,
      ...priceEnvironment(props),
      // By it prices are told: it can ask no model.
      MODEL_PROVIDER,
      ...authEnvironment(auth),
    },
    statements: (role) => [...storeStatements('api', table, queues), ...telemetryStatements(props, role)],
  });
}
