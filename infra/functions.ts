import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  type RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { allow } from './permissions.ts';

export interface FunctionSettings {
  readonly description: string;
  readonly code: Code;
  readonly timeout: Duration;
  /** @default 256: with less, a warm worker comes close to its end */
  readonly memorySize?: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly statements: (role: Role) => readonly PolicyStatement[];
  readonly logRetention: RetentionDays;
  /** @default Lambda stops a chain of messages after 16 rounds */
  readonly recursiveLoop?: RecursiveLoop;
  /** How old an event may become that waits for an asynchronous invocation, which is tried once. @default not invoked so */
  readonly maxEventAge?: Duration;
}

/** A function with a role and a log group of its own: no managed policy, whose log permissions are for every group. */
export function createFunction(scope: Construct, id: string, settings: FunctionSettings): LambdaFunction {
  const { logRetention, statements, environment, recursiveLoop, maxEventAge, ...rest } = settings;
  const own = new Construct(scope, id);
  const logGroup = new LogGroup(own, 'Logs', {
    retention: logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(own, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const writes = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
  for (const statement of [...writes, ...statements(role)]) role.addToPolicy(statement);
  return new LambdaFunction(own, 'Function', {
    memorySize: 256,
    ...rest,
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    environment: { ...environment },
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    applicationLogLevelV2: ApplicationLogLevel.INFO,
    // A line for each start and end would cost more than our own.
    systemLogLevelV2: SystemLogLevel.WARN,
    ...(recursiveLoop === undefined ? {} : { recursiveLoop }),
    ...(maxEventAge === undefined ? {} : { maxEventAge, retryAttempts: 0 }),
  });
}
