import { type App, Stack, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, it } from 'vitest';
import { AgentWorker } from '../../infra/agent-worker.ts';
import type { AgentWorkerProps } from '../../infra/props.ts';
import { TreadleStack } from '../../infra/treadle-stack.ts';
import { testApp } from './synthesised.ts';

function checked(): App {
  const app = testApp();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}

const kinds: readonly (readonly [string, AgentWorkerProps])[] = [
  ['its defaults', {}],
  ['Bedrock', { model: { type: 'bedrock' } }],
  ['Claude Platform on AWS', { model: { type: 'claude-platform', workspaceId: 'wrkspc_1' } }],
  ['tokens', { auth: { type: 'jwt', issuer: 'https://i.example', audience: ['a'], tenantClaim: 't' } }],
];

it.each(kinds)('cdk-nag finds nothing that is not acknowledged with %s', (_, props) => {
  const app = checked();
  new TreadleStack(app, 'Checked', { agentWorker: props });
  expect(() => app.synth()).not.toThrow();
});

it('acknowledges one finding, with a reason that a reviewer can judge', () => {
  const scope = new Stack(testApp(), 'Own');
  new AgentWorker(scope, 'Agents');
  const acknowledged = scope.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY),
    )
    .map(({ data }) => JSON.stringify(data));
  expect(acknowledged).toHaveLength(1);
  expect(acknowledged[0]).toContain('AwsSolutions::AwsSolutions-SMG4');
  expect(acknowledged[0]?.length).toBeGreaterThan(100);
});

it('cdk-nag would say so', () => {
  const app = checked();
  new Queue(new TreadleStack(app, 'Open'), 'Open', { enforceSSL: false });
  expect(() => app.synth()).toThrow(/[Vv]alidation/);
});
