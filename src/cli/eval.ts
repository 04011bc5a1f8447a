import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fetchFor, regionOf } from '../adapters/signed-fetch.ts';
import { systemClock } from '../adapters/system.ts';
import type { Batch } from '../client.ts';
import { TerminalError } from '../core/errors.ts';
import { measuredOf } from '../eval/answered.ts';
import { readSavedRun, type SavedRun } from '../eval/saved-run.ts';
import { makeFolder } from '../local/make-folder.ts';
import type { ColumnMap } from '../tickets/columns.ts';
import { exactUsd, usd } from '../tickets/summary.ts';
import { type EvalCases, readCases } from './eval-cases.ts';
import { type DeployedAgent, type Deployment, openDeployment, refusal } from './eval-deployment.ts';
import { type Evaluation, scriptedSentence, writeEvaluation } from './eval-output.ts';
import { type EvalRun, runCases } from './eval-run.ts';
import { exitCode } from './exit-codes.ts';
import { hint } from './hint.ts';
import { createBar } from './progress.ts';
import { readWhole } from './read-whole.ts';
import type { Terminal } from './terminal.ts';

export interface EvalOptions {
  readonly cases: string;
  readonly endpoint: string;
  readonly agent: string;
  readonly budgetUsd: number;
  readonly maxSteps: number | undefined;
  readonly map: ColumnMap | undefined;
  /** The fields that make a case right, for calibration and review. */
  readonly rightField: readonly string[] | undefined;
  readonly save: string | undefined;
  readonly baseline: string | undefined;
  readonly json: boolean;
}

/** A local API may be asked more often than one that is billed by the request. */
const LOCAL_POLL_MS = 250;
const REMOTE_POLL_MS = 2_000;

/** Runs an agent over labelled cases on a deployment and prints how well it did. Returns the exit code. */
export async function evaluate(
  options: EvalOptions,
  terminal: Terminal,
  { send = fetchFor(options.endpoint), clock = systemClock, interrupt = new AbortController() } = {},
): Promise<number> {
  const { endpoint } = options;
  const cases = await readCases(options.cases, options.map);
  refuseUnlabelled(options, cases);
  const baseline = await readBaseline(options.baseline);
  if (options.save !== undefined) await makeFolder(dirname(options.save));
  const deployment = await openDeployment(endpoint, send, clock);
  const agent = pick(deployment, options);
  announce(options, terminal, cases, deployment);
  const onSignal = (): void => interrupt.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const { signal } = interrupt;
    const run = await runOn(options, terminal, { deployment, cases, clock, signal });
    if (run.type === 'interrupted') {
      terminal.err(`\nInterrupted: the batch ${run.batchId} is cancelled, and there are no figures.\n`);
      return exitCode.interrupted;
    }
    const at = new Date(clock.now()).toISOString();
    const evaluation = evaluationOf(run, { options, cases, deployment, agent, baseline, at });
    return await writeEvaluation(evaluation, options, terminal, saveTo);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** Before money is spent: a field without labels would make no answer right or wrong. */
function refuseUnlabelled({ rightField = [], cases: file }: EvalOptions, { cases }: EvalCases): void {
  const labelled = new Set(cases.flatMap(({ labels }) => Object.keys(labels)));
  const missing = rightField.find((field) => !labelled.has(field));
  if (missing === undefined) return;
  const names = [...labelled].join(', ');
  throw new TerminalError('usage', `--right-field ${missing}: ${file} has no label for it; it has: ${names}`);
}

async function readBaseline(file: string | undefined): Promise<SavedRun | undefined> {
  if (file === undefined) return undefined;
  return readSavedRun(file, new TextDecoder().decode(await readWhole(file)));
}

function pick({ agents }: Deployment, { agent, maxSteps, endpoint }: EvalOptions): DeployedAgent {
  const found = agents.find(({ name }) => name === agent);
  if (found === undefined) {
    const names = agents.map(({ name }) => name).join(', ') || 'none';
    throw new TerminalError(
      'unknown_agent',
      `--agent ${agent}: ${endpoint} has no such agent; it has: ${names}`,
    );
  }
  if (maxSteps !== undefined && maxSteps > found.limits.maxSteps) {
    const most = `the agent ${agent} is allowed ${found.limits.maxSteps}`;
    throw new TerminalError('usage', `--max-steps ${maxSteps}: ${most}, and a run may only lower that`);
  }
  return found;
}

function announce(
  { budgetUsd }: EvalOptions,
  terminal: Terminal,
  { cases, unlabelled, refused }: EvalCases,
  { scripted }: Deployment,
): void {
  if (scripted !== undefined) terminal.err(`${scriptedSentence(scripted)}\n`);
  const others = `${unlabelled.length} without labels, ${refused.length} refused`;
  terminal.err(`${cases.length} labelled cases, ${others}; at most ${exactUsd(budgetUsd)} is spent.\n`);
}

interface Running {
  readonly deployment: Deployment;
  readonly cases: EvalCases;
  readonly clock: typeof systemClock;
  readonly signal: AbortSignal;
}

async function runOn(
  { agent, budgetUsd, maxSteps, endpoint }: EvalOptions,
  terminal: Terminal,
  { deployment, cases, clock, signal }: Running,
): Promise<EvalRun> {
  const bar = createBar(terminal, false, clock.now);
  try {
    return await runCases({
      ...{ client: deployment.client, clock, agent, cases: cases.cases, budgetUsd, maxSteps, signal },
      pollMs: regionOf(endpoint) === undefined ? LOCAL_POLL_MS : REMOTE_POLL_MS,
      show: (batch) => bar.show(standOf(batch)),
      stalled: ({ id, status }) => {
        bar.end();
        const what = `The batch ${id} is ${status}, and nothing has moved for a minute`;
        terminal.err(`${what}: ${hint('doctor', endpoint)} says what is wrong.\n`);
      },
    });
  } catch (error) {
    throw refusal(error, endpoint);
  } finally {
    bar.end();
  }
}

function standOf({ rows, counts, cost, status }: Batch) {
  const { queued, running, awaiting_approval: waiting } = counts;
  const done = rows - queued - running - waiting;
  const money = `${usd(cost.spentUsd)} of ${exactUsd(cost.budgetUsd ?? 0)}`;
  const text = `${done} of ${rows} cases, ${running} running, ${money}${status === 'paused' ? ', paused' : ''}`;
  return { done, of: rows, text, last: status === 'done' || status === 'paused' };
}

type Over = Extract<EvalRun, { type: 'over' }>;

function evaluationOf(
  { batch, results, denied, rejected }: Over,
  given: Pick<Evaluation, 'cases' | 'agent' | 'baseline' | 'at'> & {
    readonly options: EvalOptions;
    readonly deployment: Deployment;
  },
): Evaluation {
  const { cases, agent, baseline, at, deployment } = given;
  const refusedIds = new Set(rejected.map(({ id }) => id));
  const unanswered = cases.cases.filter(({ id }) => !results.has(id) && !refusedIds.has(id));
  return {
    ...{ cases, agent, baseline, at, batch, denied, rejected },
    scripted: deployment.scripted ?? null,
    notRun: unanswered.map(({ id }) => id),
    measured: cases.cases.flatMap(({ id, labels }) => {
      const result = results.get(id);
      return result === undefined ? [] : [measuredOf(id, labels, result)];
    }),
  };
}

/** Written beside its place and moved there whole, so that nobody reads half of it. */
async function saveTo(file: string, text: string): Promise<void> {
  try {
    await writeFile(`${file}.part`, text);
    await rename(`${file}.part`, file);
  } catch (cause) {
    throw new TerminalError('unwritable_file', `--save ${file}: it cannot be written`, { cause });
  }
}
