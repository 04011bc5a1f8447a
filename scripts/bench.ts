import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import * as z from 'zod';
import { createClaude } from '../src/adapters/claude.ts';
import { createSqsQueue } from '../src/adapters/sqs.ts';
import { submit } from '../src/app/submit.ts';
import { createWorkerHandler, type QueueHandler } from '../src/app/worker-handler.ts';
import type { World } from '../src/app/world.ts';
import { defineAgent, defineTool } from '../src/core/agent.ts';
import { isEnded } from '../src/core/job.ts';
import { createWorld } from '../src/create-world.ts';
import { startEventSource } from '../src/local/event-source.ts';
import { ensureQueues, ensureTable, localAwsClients } from '../src/local/stand-ins.ts';
import { bytesOf, type Call, recorder, replay } from './bench/record.ts';

const STEPS = 5;
const LONG = 310;
const command = new Command('bench')
  .description(
    'Counts the calls and bytes of a step, and compares the loop with one that only makes its calls.',
  )
  .option('--speed', 'only compare', false)
  .option('--jobs <n>', 'jobs of a round', Number, 200)
  .option('--rounds <n>', 'rounds that count', Number, 5);
const options = command.parse().opts<{ speed: boolean; jobs: number; rounds: number }>();

const article = 'What the knowledge base says about the question that was asked. '.repeat(30);
const agent = defineAgent({
  name: 'bench',
  model: 'scripted-1',
  system: 'You look things up until you can answer. '.repeat(60),
  tools: [
    defineTool({
      name: 'search',
      description: 'Searches the knowledge base',
      input: z.object({ query: z.string() }),
      policy: 'pure',
      run: () => article,
    }),
  ],
  limits: { maxSteps: 1_000, maxCostUsd: 1_000, maxTokens: 1_000_000_000 },
});

interface Servers {
  readonly sqsEndpoint: string;
  readonly dynamodbEndpoint: string;
  readonly modelUrl: string;
}

function startServers(steps: number): Promise<{ readonly servers: Servers; readonly stop: () => void }> {
  const file = fileURLToPath(new URL('./bench/servers.ts', import.meta.url));
  const child = fork(file, [String(steps)], { execArgv: ['--import', 'tsx'] });
  return new Promise((resolve) =>
    child.once('message', (servers) => resolve({ servers: servers as Servers, stop: () => child.kill() })),
  );
}

type Clients = ReturnType<typeof localAwsClients>;

async function place(servers: Servers, clients: Clients, name: string) {
  await ensureTable(clients.dynamodb, name);
  const names = { queue: `${name}-steps`, deadLetterQueue: `${name}-dead` };
  const queues = await ensureQueues(clients.sqs, { names, visibilityTimeoutSeconds: 720 });
  const model = createClaude({ apiKey: 'x', baseURL: servers.modelUrl });
  return { name, queues, model, clients };
}
type Place = Awaited<ReturnType<typeof place>>;

function worldAt({ name, queues, clients, model }: Place, wrap = (one: World['model']) => one): World {
  const parts = {
    ...clients,
    tableName: name,
    queueUrl: queues.queueUrl,
    agents: [agent],
    model: wrap(model),
  };
  return createWorld({ ...parts, log: () => undefined });
}

/** Feeds a handler from the queue until `over` resolves, with the pollers and the concurrency of the local stack. */
async function drain({ queues, clients }: Place, handler: QueueHandler, over: Promise<unknown>) {
  const before = process.cpuUsage();
  const begun = performance.now();
  const source = startEventSource({
    ...{ client: clients.sqs, queueUrl: queues.queueUrl, queueArn: queues.arns.queue, handler },
    ...{ maxConcurrency: 4, functionTimeoutMs: 120_000, visibilityTimeoutSeconds: 720 },
  });
  await over;
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(before);
  await source.stop(5_000);
  return { ms, cpuMsPerStep: (user + system) / 1_000 / (options.jobs * STEPS) };
}

async function realRun(at: Place) {
  const world = worldAt(at);
  for (let n = 0; n < options.jobs; n += 1)
    await submit(world, { tenant: 'bench', agent: 'bench', input: `job ${n}` });
  let ended = 0;
  const over = deferred();
  const { commitJob } = world.store;
  const counted: World = {
    ...world,
    store: {
      ...world.store,
      commitJob: async (job) => {
        const result = await commitJob(job);
        if (isEnded(job)) ended += 1;
        if (ended === options.jobs) over.resolve();
        return result;
      },
    },
  };
  return drain(at, createWorkerHandler(counted), over.promise);
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function bareRun(at: Place, calls: readonly (readonly Call[])[]) {
  const queue = createSqsQueue({ client: at.clients.sqs, queueUrl: at.queues.queueUrl });
  const [submission = [], ...turns] = calls;
  for (let n = 0; n < options.jobs; n += 1) {
    for (const call of submission) await replay(call, `bare_${n}`, at.name, at.clients.dynamodb, at.model);
    await queue.send({ v: 1, jobId: `bare_${n}`, turn: 1 }, { delaySeconds: 0, group: 'bench' });
  }
  let ended = 0;
  const over = deferred();
  const handler: QueueHandler = async (event) => {
    await Promise.all(
      event.Records.map(async ({ body }) => {
        const { jobId, turn } = JSON.parse(body) as { jobId: string; turn: number };
        for (const call of turns[turn - 1] ?? [])
          await replay(call, jobId, at.name, at.clients.dynamodb, at.model);
        if (turn < STEPS)
          await queue.send({ v: 1, jobId, turn: turn + 1 }, { delaySeconds: 0, group: 'bench' });
        else ended += 1;
        if (ended === options.jobs) over.resolve();
      }),
    );
    return { batchItemFailures: [] };
  };
  return drain(at, handler, over.promise);
}

/** The calls of one job: its submission, then step by step. `cold` drops what the worker knows before steps 3 and 300. */
async function recordJob(at: Place, steps: number, cold = false): Promise<readonly (readonly Call[])[]> {
  const clients = { ...at.clients };
  const record = recorder(clients.dynamodb);
  const world = worldAt(at, record.model);
  record.next();
  const submitted = await submit(world, {
    tenant: 'bench',
    agent: 'bench',
    input: cold ? 'a cold job' : 'a job',
  });
  const jobId = !('job' in submitted) ? submitted.jobId : submitted.job.id;
  const worker = createWorkerHandler(world);
  for (let turn = 1; turn <= steps; turn += 1) {
    if (cold && (turn === 3 || turn === 300)) world.warm.drop(jobId);
    record.next();
    const attributes = { SentTimestamp: String(Date.now()) };
    const body = JSON.stringify({ v: 1, jobId, turn });
    const record1 = { messageId: `m${turn}`.padEnd(36, '-'), receiptHandle: 'r', body, attributes };
    await worker({ Records: [record1] }, { getRemainingTimeInMillis: () => 120_000 });
  }
  clients.dynamodb.middlewareStack.remove('record');
  const usage = (await world.store.loadJob(jobId))?.usage;
  if (usage !== undefined && !cold) {
    const share = usage.cacheRead / (usage.input + usage.cacheWrite + usage.cacheRead);
    process.stdout.write(
      `cache-read share of input tokens over ${steps} steps: ${(100 * share).toFixed(1)} %\n`,
    );
  }
  return record.steps;
}

function describe(name: string, calls: readonly Call[] | undefined): string {
  const table = (calls ?? []).flatMap((call) => (call.to === 'table' ? [call] : []));
  const writes = table.filter((call) => /Put|Update/.test(call.name));
  const bytes = writes.reduce((sum, call) => sum + bytesOf(call), 0);
  const cells = [
    name.padEnd(22),
    table.length,
    writes.length,
    bytes,
    table.map((call) => call.name.replace('ItemCommand', '').replace('Command', '')).join(' '),
  ];
  return `  ${cells.join('\t')}\n`;
}

async function flat(): Promise<void> {
  const { servers, stop } = await startServers(LONG);
  const clients = localAwsClients(servers);
  const warm = await recordJob(await place(servers, clients, 'flat'), LONG);
  const cold = await recordJob(await place(servers, clients, 'flat-cold'), LONG, true);
  process.stdout.write('step                   \ttable calls\twrites\twritten bytes\tcalls\n');
  for (const step of [3, 300]) process.stdout.write(describe(`${step}, warm worker`, warm[step]));
  for (const step of [3, 300]) process.stdout.write(describe(`${step}, cold worker *`, cold[step]));
  process.stdout.write('  * a cold worker pages the history once\n\n');
  stop();
}

async function speed(): Promise<void> {
  const { servers, stop } = await startServers(STEPS);
  const clients = localAwsClients(servers);
  const calls = await recordJob(await place(servers, clients, 'recorded'), STEPS);
  const ratios: number[] = [];
  // Round 0 warms both up and does not count.
  for (let round = 0; round <= options.rounds; round += 1) {
    const bare = await bareRun(await place(servers, clients, `bare${round}`), calls);
    const real = await realRun(await place(servers, clients, `real${round}`));
    if (round > 0) ratios.push(bare.ms / real.ms);
    const perSecond = (ms: number): string => ((options.jobs * STEPS * 1_000) / ms).toFixed(0);
    process.stdout.write(
      `round ${round}: bare ${perSecond(bare.ms)} steps/s (${bare.cpuMsPerStep.toFixed(2)} ms CPU a step), ` +
        `real ${perSecond(real.ms)} steps/s (${real.cpuMsPerStep.toFixed(2)} ms CPU a step), ratio ${(bare.ms / real.ms).toFixed(2)}\n`,
    );
  }
  const median = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
  process.stdout.write(
    `median ratio of ${options.jobs} jobs of ${STEPS} steps to a loop that only makes the calls: ${median.toFixed(2)}\n`,
  );
  stop();
}

if (!options.speed) await flat();
await speed();
process.exit(0);
