import { readFileSync } from 'node:fs';
import { Duration } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { at, cdkJson, everything, type Resource, type Synthesised, synthesise } from './synthesised.ts';

const stack = synthesise();
const full = synthesise(everything);

const functions = stack.all('Lambda::Function');
const sources = stack.all('Lambda::EventSourceMapping');
const queues = stack.all('SQS::Queue');
const alarms = stack.all('CloudWatch::Alarm');
const steps = (of: Synthesised = stack): Resource => of.one('SQS::Queue', 'Steps');
const deadLetters = stack.one('SQS::Queue', 'DeadLetters');
const isWorker = (id: string): boolean => id === stack.idOf('Lambda::Function', 'AgentsWorkerFunction');

/** The logical ids that a part of a template refers to. */
function refersTo(part: unknown): readonly string[] {
  if (Array.isArray(part)) return part.flatMap(refersTo);
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    if (key === 'Ref') return [String(value)];
    if (key === 'Fn::GetAtt') return [String([value].flat()[0])];
    if (key === 'DependsOn') return [value].flat().map(String);
    return refersTo(value);
  });
}

/** The logical ids along a circle of references; none where there is no circle. */
function circleIn(resources: Synthesised['resources']): readonly string[] {
  const done = new Set<string>();
  const walk = (id: string, path: readonly string[]): readonly string[] => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (done.has(id) || resources[id] === undefined) return [];
    for (const next of refersTo(resources[id])) {
      const circle = walk(next, [...path, id]);
      if (circle.length > 0) return circle;
    }
    done.add(id);
    return [];
  };
  for (const id of Object.keys(resources)) {
    const circle = walk(id, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

describe('messages', () => {
  it('may go round for ever at the worker, and nowhere else', () => {
    const allowed = functions.filter(([, { Properties }]) => Properties['RecursiveLoop'] === 'Allow');
    expect(allowed.map(([id]) => isWorker(id))).toEqual([true]);
  });

  it('are given up into a queue that takes them from the step queue alone, without a circle', () => {
    const { redrivePermission, sourceQueueArns } = at<Readonly<Record<string, unknown>>>(
      deadLetters,
      'RedriveAllowPolicy',
    );
    expect(redrivePermission).toBe('byQueue');
    expect(sourceQueueArns).toHaveLength(1);
    const { QueueName } = steps().Properties;
    expect(JSON.stringify(sourceQueueArns)).toMatch(new RegExp(`:${QueueName}"`));
    expect(circleIn(stack.resources)).toEqual([]);
  });

  it('are given up after five receives, and kept for 14 days, which is longer than they may wait', () => {
    const { MessageRetentionPeriod } = steps().Properties;
    expect(at<number>(steps(), 'RedrivePolicy.maxReceiveCount')).toBeGreaterThanOrEqual(5);
    expect(deadLetters.Properties['MessageRetentionPeriod']).toBe(14 * 86_400);
    expect(MessageRetentionPeriod).toBeLessThan(14 * 86_400);
  });

  it('stay hidden for six times as long as their function may take', () => {
    for (const of of [stack, synthesise((s) => ({ ...everything(s), workerTimeout: Duration.minutes(5) }))]) {
      const pairs = of.all('Lambda::EventSourceMapping').map(([, { Properties }]) => {
        const timeout = Number(
          of.resources[at<string>({ Properties }, 'FunctionName.Ref')]?.Properties['Timeout'],
        );
        const [queue = ''] = refersTo(Properties['EventSourceArn']);
        return [of.resources[queue]?.Properties['VisibilityTimeout'], 6 * timeout];
      });
      expect(pairs).toHaveLength(2);
      for (const [visible, wanted] of pairs) expect(visible).toBe(wanted);
    }
  });

  it('come ten at a time without waiting for more, and only those again that failed', () => {
    for (const [, { Properties }] of sources) {
      expect(Properties).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] });
      expect(Properties).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    }
  });

  it('are held back in the queue, not turned away: the source is bounded, functions are not', () => {
    for (const [, { Properties }] of sources) {
      expect(at<number>({ Properties }, 'ScalingConfig.MaximumConcurrency')).toBeGreaterThanOrEqual(2);
      expect(Properties).not.toHaveProperty('ProvisionedPollerConfig');
    }
    for (const [, { Properties }] of functions) {
      expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions');
    }
  });

  it('are encrypted, and refused over an open line', () => {
    for (const [id, { Properties }] of queues) {
      expect(Properties['SqsManagedSseEnabled']).toBe(true);
      const policy = full.all('SQS::QueuePolicy').find(([, one]) => at(one, 'Queues.0.Ref') === id);
      expect(policy && at(policy[1], 'PolicyDocument.Statement')).toMatchObject([
        { Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      ]);
    }
  });
});

describe('functions', () => {
  it('run on the runtime that is kept up, on arm64, with room for a warm worker', () => {
    expect(functions).toHaveLength(4);
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
      expect(Properties['MemorySize']).toBeGreaterThanOrEqual(256);
      expect(Properties['Handler']).toBe('index.handler');
    }
  });

  it('log JSON lines to groups of their own, which are not kept for ever', () => {
    const groups = functions.map(([, one]) => at<string>(one, 'LoggingConfig.LogGroup.Ref'));
    expect(new Set(groups).size).toBe(functions.length);
    for (const [, one] of functions) expect(at(one, 'LoggingConfig.LogFormat')).toBe('JSON');
    // What is logged as info holds the metrics.
    for (const [, one] of functions) {
      expect(at(one, 'LoggingConfig.ApplicationLogLevel')).toBe('INFO');
    }
    const logs = stack.all('Logs::LogGroup');
    expect(logs).toHaveLength(groups.length + 1);
    for (const [, { Properties }] of logs) expect(Properties['RetentionInDays']).toBe(30);
  });

  it('have roles of their own, without managed policies, and no tracing that needs all resources', () => {
    const roles = functions.map(([, one]) => at<string>(one, 'Role.Fn::GetAtt.0'));
    expect(new Set(roles).size).toBe(functions.length);
    for (const [, { Properties }] of stack.all('IAM::Role')) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
    }
    for (const [, { Properties }] of functions) expect(Properties).not.toHaveProperty('TracingConfig');
  });

  it('end before what waits for them: the API before its gateway, no asynchronous event is tried twice', () => {
    const api = stack.one('Lambda::Function', 'Api').Properties;
    expect(api['Timeout']).toBeLessThan(30);
    expect(stack.one('ApiGatewayV2::Integration').Properties['TimeoutInMillis']).toBe(29_000);
    expect(stack.one('Lambda::EventInvokeConfig').Properties).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
  });

  it('are allowed nothing on all resources, in any account with any service', () => {
    for (const of of [stack, full, synthesise({ model: { type: 'bedrock' } })]) {
      const statements = of
        .all('IAM::Policy')
        .flatMap(([, policy]) =>
          at<readonly Readonly<Record<string, unknown>>[]>(policy, 'PolicyDocument.Statement'),
        );
      expect(statements.length).toBeGreaterThan(10);
      for (const { Effect, Action, Resource } of statements) {
        expect(Effect).toBe('Allow');
        expect(JSON.stringify([Action, Resource])).not.toContain('*');
      }
    }
  });
});

describe('alarms', () => {
  it('are on nothing that cannot ring: dropped rounds, and the age that poison hides from', () => {
    const names = JSON.stringify(alarms);
    expect(names).not.toContain('RecursiveInvocationsDropped');
    expect(names).not.toContain('ApproximateAgeOfOldestMessage');
  });

  it('ring when the reconciler falls silent', () => {
    const oldest = stack.one('CloudWatch::Alarm', 'oldestdue').Properties;
    expect(oldest['TreatMissingData']).toBe('breaching');
  });
});

describe('the toolkit', () => {
  it('takes findings of its validator for errors', () => {
    expect(cdkJson.context).toMatchObject({
      '@aws-cdk/core:validateAgainstDefaultRules': true,
      '@aws-cdk/aws-iam:minimizePolicies': true,
    });
  });

  it('is pinned, because a withdrawn version stands above it', () => {
    const { devDependencies } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    expect(devDependencies['aws-cdk']).toMatch(/^2\.\d+\.\d+$/);
  });
});
