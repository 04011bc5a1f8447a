import { join } from 'node:path';
import { BATCH_SHARE } from '../app/batch-share.ts';
import type { World } from '../app/world.ts';
import type { Agent } from '../core/agent.ts';
import { printedJson } from '../core/printed.ts';
import { type ChosenModel, chooseModel } from '../local/choose-model.ts';
import { openDataDir } from '../local/data-dir.ts';
import { localTelemetry } from '../local/local-telemetry.ts';
import { namedServers } from '../local/named-servers.ts';
import { startStack } from '../local/stack.ts';
import { pricesFrom } from '../read-prices.ts';
import type { ColumnMap } from '../tickets/columns.ts';
import { announce } from './announce.ts';
import { beginBatch, carriedOnText, type LocalWork, refuseOtherRun } from './begin-batch.ts';
import { dataVersions } from './data-versions.ts';
import type { ApprovalsMode } from './decide-approvals.ts';
import { exitCode } from './exit-codes.ts';
import { followRun } from './follow-run.ts';
import { createLocalRun } from './local-run.ts';
import { openOut } from './out-folder.ts';
import { pickAgent } from './pick-agent.ts';
import { openInput } from './read-input.ts';
import { createReadProgress } from './read-progress.ts';
import type { Terminal } from './terminal.ts';
import { writeResults } from './write-results.ts';

export interface TriageOptions {
  readonly files: readonly string[];
  /** The deployment that runs the tickets; a local stack without it. */
  readonly endpoint: string | undefined;
  readonly agent: string;
  readonly out: string;
  readonly data: string | undefined;
  readonly budgetUsd: number | undefined;
  readonly maxCostUsd: number | undefined;
  readonly maxSteps: number | undefined;
  readonly concurrency: number;
  readonly fresh: boolean;
  readonly approvals: ApprovalsMode | undefined;
  readonly map: ColumnMap | undefined;
  readonly agents: string | undefined;
  readonly modelScript: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const POLL_MS = 200;

/** Triages ticket files on a local stack of its own. Returns the exit code. */
export async function triage(
  options: TriageOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<number> {
  const agent = withLimits(await pickAgent(options.agent, options.agents), options);
  const progress = createReadProgress(terminal, options.quiet, Date.now);
  const input = await openInput(options.files, options.map, progress.onRead).finally(progress.end);
  try {
    return await withInput({ options, terminal, environment, agent, input });
  } finally {
    await input.close();
  }
}

type Asked = Pick<LocalWork, 'options' | 'terminal' | 'environment' | 'agent' | 'input'>;

async function withInput(asked: Asked): Promise<number> {
  const { options, environment, agent } = asked;
  const dataPath = options.data ?? join(options.out, 'state');
  const dataDir = await openDataDir(dataPath, dataVersions, { fresh: options.fresh });
  try {
    await openOut(options.out, options.files);
    const prices = pricesFrom({ TREADLE_PRICES: environment['TREADLE_PRICES'] });
    const shipped = options.agents === undefined;
    const model = await chooseModel({ script: options.modelScript, shipped, prices, environment });
    try {
      return await run({ ...asked, agents: [agent], prices, model, dataPath, killed: dataDir.recovered });
    } finally {
      await model.close();
    }
  } finally {
    await dataDir.close();
  }
}

/** The command is run by the owner: here limits may also be raised. */
function withLimits(agent: Agent, options: TriageOptions): Agent {
  const maxCostUsd = options.maxCostUsd ?? agent.limits.maxCostUsd;
  const maxSteps = options.maxSteps ?? agent.limits.maxSteps;
  return { ...agent, limits: { ...agent.limits, maxCostUsd, maxSteps } };
}

async function run(work: LocalWork): Promise<number> {
  const { options, terminal, environment, model, dataPath } = work;
  let modelCalls = 0;
  const counted: ChosenModel['model'] = {
    ask: (request, signal) => {
      modelCalls += 1;
      return model.model.ask(request, signal);
    },
  };
  announce({ ...work, ceilingUsd: work.agent.limits.maxCostUsd });
  process.env['TREADLE_REFUNDS_FILE'] ??= join(dataPath, 'refunds.jsonl');
  const stack = await startStack({
    dataDir: dataPath,
    killed: work.killed,
    ...(environment['AWS_ENDPOINT_URL_DYNAMODB'] ? {} : { admit: (world) => refuseOtherRun(work, world) }),
    ...namedServers(environment),
    agents: work.agents,
    model: counted,
    prices: work.prices,
    // The run is alone on its stack, so that it may have all that was asked for.
    batchShare: Math.max(BATCH_SHARE, options.concurrency),
    log: quietLog(options, terminal),
    telemetry: localTelemetry(environment, model, (_, message, { problem }) => {
      if (!options.quiet) terminal.err(`Warning: ${message}: ${String(problem)}.\n`);
    }),
  });
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const { world } = stack;
    const started = await beginBatch(work, world);
    const run = createLocalRun(world, started.batch);
    const { quiet, approvals } = options;
    if (started.carriesOn && !quiet) {
      const { ended, rows } = await run.state();
      terminal.err(carriedOnText(ended, rows));
    }
    const { signal } = interrupt;
    await followRun({ run, terminal, quiet, approvals, clock: world.clock, pollMs: POLL_MS, signal });
    if (interrupt.signal.aborted) {
      terminal.err(
        '\nInterrupted. The same command carries on where this one stopped, and pays for nothing twice.\n',
      );
      return exitCode.interrupted;
    }
    const hides = work.agent.redact;
    return await writeResults({ ...work, run, hides, again: started.again, modelCalls });
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await stack.close(2_000);
  }
}

function quietLog(options: TriageOptions, terminal: Terminal): World['log'] {
  return (level, message, fields) => {
    if (level !== 'error' || options.quiet) return;
    terminal.err(`${terminal.live ? '\r\u001b[K' : ''}${printedJson({ level, message, ...fields })}\n`);
  };
}
