import { join } from 'node:path';
import { fetchFor } from '../adapters/signed-fetch.ts';
import { openDataDir } from '../local/data-dir.ts';
import { announce } from './announce.ts';
import { type Asking, type AskParts, ask } from './ask/asking.ts';
import { type DeployedAgent, deployedAgent } from './ask/deployed-agent.ts';
import { pollMs } from './ask/watch.ts';
import { beginRemote, type RemoteWork } from './begin-remote.ts';
import { dataVersions } from './data-versions.ts';
import { exitCode } from './exit-codes.ts';
import { followRun } from './follow-run.ts';
import { watchedBatch } from './gone-batch.ts';
import { hiddenThere } from './hidden-there.ts';
import { hint } from './hint.ts';
import { notedAnswers } from './noted-answers.ts';
import { openOut } from './out-folder.ts';
import { type Input, openInput } from './read-input.ts';
import { createReadProgress } from './read-progress.ts';
import { createRemoteRun } from './remote-run.ts';
import { type RowSpool, spoolRows } from './row-spool.ts';
import { openRunMemory, type RemoteRun, type RunMemory } from './run-memory.ts';
import { createStall } from './stall.ts';
import type { Terminal } from './terminal.ts';
import type { TriageOptions } from './triage.ts';
import { writeResults } from './write-results.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What every part of such a run works with. */
interface There {
  readonly options: TriageOptions;
  readonly environment: Environment;
  readonly asking: Asking;
  readonly agent: DeployedAgent;
  /** What writes the answers in place of a model. */
  readonly scripted: string | undefined;
}

/** Triages ticket files on a deployment, as one batch of it. Returns the exit code. */
export async function triageRemote(
  options: TriageOptions & { readonly endpoint: string },
  terminal: Terminal,
  environment: Environment,
  parts: AskParts = {},
): Promise<number> {
  const noted = notedAnswers(parts.send ?? fetchFor(options.endpoint));
  const work = async (asking: Asking): Promise<number> => {
    const agent = await deployedAgent(asking.client, options.agent);
    const there = { options, environment, asking, agent, scripted: noted.scripted() };
    const input = await read(there);
    try {
      return await withFolder(there, input);
    } finally {
      await input.close();
    }
  };
  return ask(options, terminal, work, { parts: { ...parts, send: noted.send } });
}

/** Ctrl-C ends also the reading of long files. */
async function read({ options, asking: { terminal, clock, signal } }: There): Promise<Input> {
  const progress = createReadProgress(terminal, options.quiet, clock.now);
  const onRead: typeof progress.onRead = (...how) => {
    signal.throwIfAborted();
    progress.onRead(...how);
  };
  return openInput(options.files, options.map, onRead).finally(progress.end);
}

async function withFolder(there: There, input: Input): Promise<number> {
  const { options } = there;
  const dataPath = options.data ?? join(options.out, 'state');
  const dataDir = await openDataDir(dataPath, dataVersions);
  try {
    await openOut(options.out, options.files);
    const memory = await openRunMemory(dataDir.path, options.fresh);
    for (const run of memory.forgotten) there.asking.terminal.err(forgottenText(run));
    const rows = await spoolRows(input);
    try {
      return await run(there, { input, rows, memory, dataPath });
    } finally {
      await rows.close();
    }
  } finally {
    await dataDir.close();
  }
}

interface Open {
  readonly input: Input;
  readonly rows: RowSpool;
  readonly memory: RunMemory;
  readonly dataPath: string;
}

async function run(there: There, open: Open): Promise<number> {
  const { options, environment, asking, agent, scripted } = there;
  const { terminal, clock, signal, endpoint } = asking;
  const ceilingUsd = options.maxCostUsd ?? agent.limits.maxCostUsd;
  const live = scripted === undefined;
  const model = { scripted: !live, live, name: scripted ?? endpoint };
  const work: RemoteWork = { ...open, options, asking, agent, ceilingUsd, model };
  announce({ ...work, terminal });
  let batchId = '';
  signal.addEventListener('abort', () => terminal.err(interruptedText(asking, batchId)), { once: true });
  const begun = await beginRemote(work, (id) => {
    batchId = id;
  }).catch((error: unknown) => {
    if (batchId !== '' && !signal.aborted) terminal.err(brokenText(batchId));
    throw error;
  });
  const seen = createStall(asking);
  const remote = createRemoteRun({ asking, batchId, rows: open.rows, ceilingUsd, seen });
  const { quiet, approvals } = options;
  await followRun({ run: remote, terminal, quiet, approvals, clock, signal, pollMs: pollMs(endpoint) });
  if (signal.aborted) return exitCode.interrupted;
  const code = await writeResults({
    ...{ ...open, options, environment, terminal, model },
    ...{ run: remote, again: begun.again, hides: hiddenThere(agent.name, agent.version) },
    modelCalls: begun.again ? 0 : undefined,
    repliesBefore: begun.repliesBefore,
  });
  const { finishedAt } = await watchedBatch(asking, batchId);
  if (finishedAt !== null) await open.memory.save({ ...begun.run, finished: true });
  return code;
}

function forgottenText({ batchId, endpoint }: RemoteRun): string {
  const end = hint(`batch cancel ${batchId}`, endpoint);
  return `The run before was not finished: ${end} ends it, should it still go on.\n`;
}

/** Not all rows may be there, so that the batch would wait for them for ever. */
const brokenText = (batchId: string): string =>
  `${batchId} has the tickets sent so far: the same command carries on.\n`;

/** A deployment goes on by itself, which costs money: how to end that is said as well. */
function interruptedText({ endpoint }: Asking, batchId: string): string {
  const again = 'The same command carries on where this one stopped, and pays for nothing twice.';
  if (batchId === '') return `\nInterrupted. ${again}\n`;
  const end = hint(`batch cancel ${batchId}`, endpoint);
  return `\nInterrupted; ${batchId} goes on without being watched, and ${end} ends it. ${again}\n`;
}
