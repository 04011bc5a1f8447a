import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { createClaude } from '../../src/adapters/claude.ts';
import type { CallRecord } from '../../src/adapters/scripted-model/calls.ts';
import { createScriptedModel, type ScriptedModel } from '../../src/adapters/scripted-model/model.ts';
import type { ScriptTurn } from '../../src/adapters/scripted-model/script.ts';
import { scriptedFetch } from '../../src/adapters/scripted-model/scripted-fetch.ts';
import { startScriptedModel } from '../../src/adapters/scripted-model/server.ts';
import { agents as shippedAgents } from '../../src/agents/index.ts';
import { createApi } from '../../src/api/app.ts';
import { apiFiles } from '../../src/api-files.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { type Client, createClient, type Job, type NewJob } from '../../src/client.ts';
import type { Agent } from '../../src/core/agent.ts';
import { type ContentBlock, textOf } from '../../src/core/content.ts';
import { identifyLocally, startApiServer } from '../../src/local/api-server.ts';
import { exampleBrain } from '../../src/local/brains/index.ts';
import { withConsole } from '../../src/local/console-site.ts';
import { startStack } from '../../src/local/stack.ts';
import { localAwsClients } from '../../src/local/stand-ins.ts';
import type { Model, ModelRequest } from '../../src/ports.ts';
import type { LogLine } from './world.ts';

/** What `treadle dev` runs, in this process: the API and the console over HTTP, worker, stand-ins, and the scripted model by rules. */
export interface DevStack {
  readonly api: string;
  /** The address of the model by rules. */
  readonly model: string;
  readonly client: Client;
  readonly lines: readonly LogLine[];
  /** What the model by rules was asked, by its own `/_calls`. */
  readonly calls: () => Promise<readonly CallRecord[]>;
  /** Every message of the step queue: visible, in flight or delayed. */
  readonly queued: () => Promise<number>;
  /** Answers the jobs with this input by a script in place of the rules. */
  readonly script: (input: string, turns: readonly ScriptTurn[], repeatLast?: boolean) => ScriptedModel;
  /** Submits a job and waits until it has ended or waits for a person. */
  readonly run: (wanted: NewJob) => Promise<Job>;
  readonly rest: (id: string) => Promise<Job>;
  /** What the reconciler does every few seconds. */
  readonly reconcile: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export async function startDev(agents: readonly Agent[] = shippedAgents): Promise<DevStack> {
  const lines: LogLine[] = [];
  const rules = await startScriptedModel({ brain: exampleBrain });
  const scripts = new Map<string, Model>();
  const byRules = createClaude({ apiKey: 'scripted', baseURL: rules.url });
  const model: Model = {
    ask: (request, signal) => (scripts.get(taskOf(request)) ?? byRules).ask(request, signal),
  };
  const log = (level: string, message: string, fields: LogLine['fields']) =>
    void lines.push({ level, message, fields });
  const stack = await startStack({ agents, model, log, logSteps: true });
  const api = createApi({ world: stack.world, identify: identifyLocally, files: apiFiles });
  const server = await startApiServer({ api: withConsole(api), port: 0 });
  const client = createClient({ endpoint: server.url });
  const { sqs, dynamodb } = localAwsClients(stack);
  const rest = (id: string) => restingJob(client, id);
  return {
    ...{ api: server.url, model: rules.url, client, lines, rest },
    calls: async () =>
      ((await (await fetch(`${rules.url}/_calls`)).json()) as { calls: readonly CallRecord[] }).calls,
    queued: async () => {
      const wanted = { QueueUrl: stack.queueUrl, AttributeNames: ['All' as const] };
      const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(wanted));
      const parts = Object.entries(Attributes).filter(([name]) =>
        name.startsWith('ApproximateNumberOfMessages'),
      );
      if (parts.length !== 3) throw new Error(`the queue counts ${parts.map(([name]) => name).join()}`);
      return parts.reduce((sum, [, count]) => sum + Number(count), 0);
    },
    script: (input, turns, repeatLast = false) => {
      const script = { name: input, turns: [...turns], repeat_last: repeatLast };
      const scripted = createScriptedModel({ script, recordBodies: true });
      const options = { apiKey: 'x', baseURL: 'http://scripted', fetch: scriptedFetch(scripted) };
      scripts.set(input, createClaude(options));
      return scripted;
    },
    reconcile: () => reconcile(stack.world),
    run: async (wanted) => rest((await client.submit(wanted)).id),
    close: async () => {
      await server.close();
      await stack.close();
      sqs.destroy();
      dynamodb.destroy();
      await rules.close();
    },
  };
}

const taskOf = ({ messages }: ModelRequest): string => textOf(messages[0]?.content ?? []);

/** The state that a job does not leave without a person. */
async function restingJob(client: Client, id: string): Promise<Job> {
  for (;;) {
    const job = await client.job(id);
    if (job.status !== 'queued' && job.status !== 'running') return job;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

type Call = readonly [name: string, input: object];

/** A reply of a script: its text, if any, then its calls. */
export function says(text: string, ...calls: readonly Call[]): ScriptTurn {
  const words: readonly ContentBlock[] = text === '' ? [] : [{ type: 'text', text }];
  const uses = calls.map(([name, input], at) => ({ type: 'tool_use', id: `toolu_${at}`, name, input }));
  return reply([...words, ...uses], calls.length > 0 ? 'tool_use' : 'end_turn');
}

export function reply(
  content: readonly ContentBlock[],
  stopReason: string,
  usage: unknown = 'count',
): ScriptTurn {
  return {
    http: 200,
    body: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted-1' },
      ...{ content, stop_reason: stopReason, stop_sequence: null, usage },
    },
  };
}

/** Everything that the tools of a job answered, in order. */
export async function observations(
  { client }: DevStack,
  id: string,
): Promise<readonly { readonly name: string; readonly output: unknown; readonly isError: boolean }[]> {
  const { items } = await client.steps(id);
  return items.flatMap((step) => step.calls.map(({ name, output, isError }) => ({ name, output, isError })));
}
