import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AgentWorker } from '../../infra/agent-worker.ts';
import type { AgentWorkerProps } from '../../infra/props.ts';

export const cdkJson = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));

/** A resource of a template, as far as tests read it. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
}

/** A part of a resource by its path, `Environment.Variables`; the test says what it holds. Undefined where it is not there. */
export function at<T = unknown>({ Properties }: Pick<Resource, 'Properties'>, path: string): T {
  let part: unknown = Properties;
  for (const name of path.split('.')) part = (part as Readonly<Record<string, unknown>> | undefined)?.[name];
  return part as T;
}

export interface Synthesised {
  readonly template: Template;
  readonly worker: AgentWorker;
  readonly resources: Readonly<Record<string, Resource>>;
  /** Logical ids and resources of a type, without its `AWS::`. */
  readonly all: (type: string) => readonly (readonly [string, Resource])[];
  /** The only one whose logical id holds a text. */
  readonly one: (type: string, within?: string) => Resource;
  /** What refers to a resource: its logical id. */
  readonly idOf: (type: string, within?: string) => string;
}

/** An app with the flags of the project that needs no bundles, and leaves the built-in validator to `npm run synth`. */
export function testApp(): App {
  return new App({
    context: { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] },
    builtinCloudFormationValidation: false,
  });
}

type PropsIn = AgentWorkerProps | ((stack: Stack) => AgentWorkerProps);

/** The construct by itself in a stack, as a template. */
export function synthesise(props: PropsIn = {}): Synthesised {
  const stack = new Stack(testApp(), 'Test');
  const worker = new AgentWorker(stack, 'Agents', typeof props === 'function' ? props(stack) : props);
  const template = Template.fromStack(stack);
  const resources = template.toJSON()['Resources'] as Readonly<Record<string, Resource>>;
  const all: Synthesised['all'] = (type) =>
    Object.entries(resources).filter(([, resource]) => resource.Type === `AWS::${type}`);
  const found = (type: string, within = ''): readonly [string, Resource] => {
    const [first, ...others] = all(type).filter(([id]) => id.includes(within));
    if (first === undefined || others.length > 0) throw new Error(`${type} ${within}: not exactly one`);
    return first;
  };
  return {
    ...{ template, worker, resources, all },
    one: (type, within) => found(type, within)[1],
    idOf: (type, within) => found(type, within)[0],
  };
}

/** Everything that can be had beside the defaults. */
export const everything = (stack: Stack): AgentWorkerProps => ({
  webhookSecret: new Secret(stack, 'Hooks') as ISecret,
  eventBus: new EventBus(stack, 'Bus') as IEventBus,
  telemetry: {
    endpoint: 'https://otlp.example.com',
    headersSecret: new Secret(stack, 'Collector') as ISecret,
  },
  alarmTopic: new Topic(stack, 'Pager'),
  tenantDailyUsd: 5,
  retentionDays: 30,
  prices: {},
  auth: {
    type: 'iam',
    tenantRoles: { 'arn:aws:iam::123456789012:role/a': 'a' },
    controlRoles: ['arn:aws:iam::123456789012:role/a'],
  },
});
