import { join, relative } from 'node:path';
import { logLine } from '../adapters/system.ts';
import { webhookUrlProblem } from '../adapters/webhook.ts';
import { agents as shippedAgents } from '../agents/index.ts';
import { createApi } from '../api/app.ts';
import { apiFiles } from '../api-files.ts';
import { microUsd } from '../core/job.ts';
import { type ApiServer, identifyLocally, startApiServer } from '../local/api-server.ts';
import { readChaosSwitches } from '../local/chaos-switches.ts';
import { type ChosenModel, chooseModel } from '../local/choose-model.ts';
import { CONSOLE_PATH, withConsole } from '../local/console-site.ts';
import { type DataDir, openDataDir } from '../local/data-dir.ts';
import { loadAgents } from '../local/load-agents.ts';
import { localTelemetry } from '../local/local-telemetry.ts';
import { namedServers } from '../local/named-servers.ts';
import { DEV_PLACES } from '../local/places.ts';
import { type Stack, type StackOptions, startStack, TABLE_NAME } from '../local/stack.ts';
import { notifierFrom } from '../notifier.ts';
import { pricesFrom } from '../read-prices.ts';
import { devSettings, readSettings } from '../settings.ts';
import { createRandom } from '../testing/random.ts';
import { dataVersions } from './data-versions.ts';
import { exampleTickets } from './example-tickets.ts';
import { exitCode } from './exit-codes.ts';
import { hint } from './hint.ts';
import { shellWord } from './shell-word.ts';
import type { Terminal } from './terminal.ts';

export interface DevOptions {
  readonly port: number;
  readonly data: string | undefined;
  readonly agents: string | undefined;
  readonly modelScript: string | undefined;
  readonly chaos: string | undefined;
  readonly seed: number;
  readonly json: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The whole system on this machine until it is interrupted. Returns the exit code. */
export async function dev(
  options: DevOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<number> {
  const closers: (() => Promise<unknown>)[] = [];
  const opened = <T extends { readonly close: () => Promise<unknown> }>(part: T): T => {
    closers.unshift(() => part.close());
    return part;
  };
  const interrupted = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  try {
    const prices = pricesFrom({ TREADLE_PRICES: environment['TREADLE_PRICES'] });
    const agents = options.agents === undefined ? shippedAgents : await loadAgents(options.agents);
    const dataDir = options.data === undefined ? undefined : opened(await openFolder(options.data));
    if (dataDir !== undefined) {
      process.env['TREADLE_REFUNDS_FILE'] ??= join(dataDir.path, 'refunds.jsonl');
      process.env['TREADLE_NOTES_FILE'] ??= join(dataDir.path, 'notes.jsonl');
    }
    const shipped = options.agents === undefined;
    const model = opened(await chooseModel({ script: options.modelScript, shipped, prices, environment }));
    const stack = opened(
      await startStack({
        ...stackOptions(options, dataDir, environment),
        agents,
        model: model.model,
        prices,
        logSteps: true,
        telemetry: localTelemetry(environment, model, logLine),
        // Neither a bus nor a secret of a real AWS account is ever reached from here.
        notifier: notifierFrom({ WEBHOOK_SECRET: environment['WEBHOOK_SECRET'] || undefined }),
      }),
    );
    const { world } = stack;
    const api = createApi({
      ...{ world, identify: identifyLocally },
      ...{ files: apiFiles, webhookProblem: webhookUrlProblem },
    });
    const answers = model.scripted ? { answers: model.name } : {};
    const server = opened(await startApiServer({ api: withConsole(api), port: options.port, ...answers }));
    announce(options, terminal, { stack, model, server, dataDir });
    await interrupted;
    return exitCode.done;
  } finally {
    for (const close of closers) await close();
  }
}

function openFolder(path: string): Promise<DataDir> {
  return openDataDir(path, dataVersions);
}

function stackOptions(
  { chaos, seed }: DevOptions,
  dataDir: DataDir | undefined,
  environment: Environment,
): Pick<StackOptions, 'dataDir' | 'killed' | 'chaos' | 'maxConcurrency' | 'dailyMicroUsd'> {
  const { TENANT_DAILY_USD } = readSettings(devSettings, environment);
  return {
    maxConcurrency: DEV_PLACES,
    dailyMicroUsd: TENANT_DAILY_USD === undefined ? undefined : microUsd(TENANT_DAILY_USD),
    ...namedServers(environment),
    ...(dataDir === undefined ? {} : { dataDir: dataDir.path, killed: dataDir.recovered }),
    ...(chaos === undefined
      ? {}
      : { chaos: { switches: readChaosSwitches(chaos), random: createRandom(seed).next } }),
  };
}

interface Ready {
  readonly stack: Stack;
  readonly model: ChosenModel;
  readonly server: ApiServer;
  readonly dataDir: DataDir | undefined;
}

/** One line says that everything listens: for programs as JSON, for people the addresses below it. */
function announce({ json, chaos, agents }: DevOptions, terminal: Terminal, ready: Ready): void {
  const { stack, model, server, dataDir } = ready;
  const places = {
    console: `${server.url}${CONSOLE_PATH}`,
    api: server.url,
    sqs: stack.sqsEndpoint,
    dynamodb: stack.dynamodbEndpoint,
    queueUrl: stack.queueUrl,
    tableName: TABLE_NAME,
    model: model.url,
  };
  if (json) {
    terminal.out(`${JSON.stringify({ ready: true, ...places })}\n`);
    return;
  }
  terminal.out('ready\n');
  for (const [name, place] of Object.entries(places)) terminal.out(`  ${name.padEnd(10)} ${place}\n`);
  if (model.scripted) terminal.err(`Answers are ${model.name}: no model is asked and no money is spent.\n`);
  if (dataDir === undefined) terminal.err('State is in memory: --data FOLDER keeps it.\n');
  if (chaos !== undefined) terminal.err(`Things go wrong on purpose: ${chaos}.\n`);
  if (agents === undefined)
    terminal.err(`Tickets for it, from another terminal:  ${submitText(server.url)}\n`);
  terminal.err('Ctrl-C ends it.\n');
}

/** The command that fills an empty console, whatever folder and port this is. */
function submitText(url: string): string {
  const file = shellWord(relative(process.cwd(), exampleTickets));
  return hint(`batch submit ${file} --budget-usd 1`, url);
}
