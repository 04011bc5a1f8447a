import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { AgentWorker } from './agent-worker.ts';
import type { AgentWorkerProps } from './props.ts';

export interface TreadleStackProps extends StackProps {
  /** @default the shipped agent, with every default */
  readonly agentWorker?: AgentWorkerProps;
}

/** One deployment in a stack of its own, with what its people need to know as outputs. */
export class TreadleStack extends Stack {
  readonly agentWorker: AgentWorker;

  constructor(scope: Construct, id: string, props: TreadleStackProps = {}) {
    super(scope, id, props);
    this.agentWorker = new AgentWorker(this, 'AgentWorker', props.agentWorker);
    const { api, stepQueue, deadLetterQueue, table, dashboard, modelSecret } = this.agentWorker;
    const outputs = {
      ApiUrl: { value: api.apiEndpoint, description: 'Where TREADLE_ENDPOINT points' },
      QueueUrl: { value: stepQueue.queueUrl },
      DeadLetterQueueUrl: { value: deadLetterQueue.queueUrl },
      TableName: { value: table.tableName },
      Dashboard: { value: this.#consoleUrl(dashboard.dashboardName) },
      ...(modelSecret && {
        ModelSecretArn: { value: modelSecret.secretArn, description: 'To be filled with the API key' },
      }),
    };
    for (const [name, output] of Object.entries(outputs)) new CfnOutput(this, name, output);
  }

  #consoleUrl(dashboardName: string): string {
    const { region } = this;
    return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboardName}`;
  }
}
