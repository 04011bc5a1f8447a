import { type RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnSecret, type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { allow, readStatements } from './permissions.ts';
import type { ModelProps } from './props.ts';

/** How the worker, and nothing else, reaches the model. */
export interface ModelAccess {
  /** Undefined where the role is all that it takes. */
  readonly secret: ISecret | undefined;
  /** What the worker is told. */
  readonly environment: Readonly<Record<string, string>>;
  readonly statementsFor: (worker: IRole) => readonly PolicyStatement[];
}

export function createModelAccess(
  scope: Construct,
  model: ModelProps,
  removalPolicy: RemovalPolicy,
): ModelAccess {
  const MODEL_PROVIDER = model.type;
  const arnOf = (service: string, resource: string, resourceName: string): string =>
    Stack.of(scope).formatArn({ service, resource, resourceName });
  switch (model.type) {
    case 'anthropic': {
      const secret = model.secret ?? emptySecret(scope, removalPolicy);
      return {
        secret,
        environment: { MODEL_PROVIDER, MODEL_SECRET_ARN: secret.secretArn },
        statementsFor: (worker) => readStatements(secret, worker),
      };
    }
    case 'claude-platform': {
      const workspace = arnOf('aws-external-anthropic', 'workspace', model.workspaceId);
      return {
        secret: undefined,
        environment: { MODEL_PROVIDER, ANTHROPIC_AWS_WORKSPACE_ID: model.workspaceId },
        statementsFor: () => allow(['aws-external-anthropic:CreateInference'], [workspace]),
      };
    }
    case 'bedrock': {
      const { modelIds } = model;
      // A request that names no project is one of the account's default project.
      const project = arnOf('bedrock-mantle', 'project', 'default');
      return {
        secret: undefined,
        environment: {
          MODEL_PROVIDER,
          ...(modelIds === undefined ? {} : { BEDROCK_MODEL_IDS: JSON.stringify(modelIds) }),
        },
        statementsFor: () => allow(['bedrock-mantle:CreateInference'], [project]),
      };
    }
    default:
      return model satisfies never;
  }
}

/**
 * A secret that a person fills. It has no value at first: a made-up one would be sent as a key. No later deployment
 * touches what is put in.
 */
function emptySecret(scope: Construct, removalPolicy: RemovalPolicy): ISecret {
  const secret = new CfnSecret(scope, 'ModelKey', {
    description: 'The API key of the model. Read by the worker alone.',
  });
  secret.applyRemovalPolicy(removalPolicy);
  acknowledge(secret, {
    'AwsSolutions-SMG4':
      'The key is made by another company, which offers no rotation from here. A person replaces the value; the worker takes it up within five minutes.',
  });
  return Secret.fromSecretCompleteArn(scope, 'ModelKeyByArn', secret.ref);
}
