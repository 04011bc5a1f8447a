import { createStore } from '../../app/table-store.ts';
import { createWarmTranscripts, type WarmTranscripts } from '../../app/transcript.ts';
import type { World } from '../../app/world.ts';
import type { Agent, Tool } from '../../core/agent.ts';
import type { FrozenAgent } from '../../core/frozen-agent.ts';
import type { PriceTable } from '../../core/prices.ts';
import type { Ids, QueueMessage, StepQueue } from '../../ports.ts';
import type { Random } from '../random.ts';
import type { Machines } from './machines.ts';
import { type Process, pause, perform, type Sim } from './sim.ts';
import { type Brain, modelOf, type Tariff } from './sim-model.ts';
import { notifierOf } from './sim-notifier.ts';
import { tableOf } from './sim-table.ts';

/** What a process remembers between two runs of the code, and loses when it dies. */
export interface Memory {
  /** How far the clock of its machine is off, in milliseconds. */
  readonly skewMs: number;
  readonly warm: WarmTranscripts;
  readonly frozen: Map<string, FrozenAgent>;
  readonly chunks: World['chunks'];
  readonly admitting: World['admitting'];
  readonly stops: World['stops'];
}

export function createMemory(random: Random, { maxSkewMs }: Machines): Memory {
  return {
    skewMs: maxSkewMs === 0 ? 0 : random.whole(-maxSkewMs, maxSkewMs),
    warm: createWarmTranscripts(),
    frozen: new Map(),
    chunks: new Map(),
    admitting: new Map(),
    stops: new Map(),
  };
}

/** What the code under test is given, the same for every process of a run. */
export interface Setup {
  readonly agents: readonly Agent[];
  readonly prices: PriceTable;
  readonly brain: Brain;
  readonly tariff: Tariff;
  readonly ids: Ids;
  /** What is wrong with the world of the tools in the end. */
  readonly judge: () => string | undefined;
}

/** Longer than any schedule lasts. */
const RETENTION_MS = 90 * 86_400_000;

/** The world of the code under test as one process sees it. */
export function worldOf(sim: Sim, process: Process, setup: Setup, memory: Memory): World {
  const { scheduler, referee } = sim;
  const { warm, frozen, chunks, admitting, stops } = memory;
  return {
    warm,
    frozen,
    chunks,
    admitting,
    stops,
    store: createStore(tableOf(sim, process), { now: scheduler.now }),
    retentionMs: RETENTION_MS,
    dailyMicroUsd: sim.dailyMicroUsd,
    queue: queueOf(sim, process),
    model: modelOf(sim, process, setup.brain, setup.tariff),
    notifier: notifierOf(sim, process),
    clock: {
      now: () => scheduler.now() + process.skewMs,
      sleep: (ms, signal) => pause(sim, process, ms, signal),
    },
    ids: setup.ids,
    agents: agentsOf(sim, process, setup),
    prices: setup.prices,
    log: (level, message, fields) => referee.logged(process, level, message, fields),
  };
}

function queueOf(sim: Sim, process: Process): StepQueue {
  const send: StepQueue['send'] = (message, { delaySeconds, group }) =>
    perform(sim, process, 'noteOf' in message ? 'send notice' : 'send', 'send', (fault) => {
      sim.referee.sent(process, message);
      if (fault === 'lost') return;
      const lateSeconds = fault === 'delayed' ? sim.random.whole(1, 300) : 0;
      sim.put(message, { delaySeconds: Math.min(900, delaySeconds + lateSeconds), group });
    });
  return {
    send,
    sendBody: (body, options) => send(JSON.parse(body) as QueueMessage, options),
    hide: (receiptHandle, seconds) =>
      perform(sim, process, 'hide message', 'write', () => sim.hide(receiptHandle, seconds)),
  };
}

/** Only workers run tools. */
function agentsOf(sim: Sim, process: Process, { agents }: Setup): World['agents'] {
  const worker = process.actor === 'worker';
  return new Map(agents.map((agent) => [agent.name, worker ? within(sim, process, agent) : agent]));
}

/** The agent with every run of its tools at a seam of this process. */
function within(sim: Sim, process: Process, agent: Agent): Agent {
  const tools = new Map<string, Tool>();
  for (const [name, tool] of agent.tools) tools.set(name, toolWithin(sim, process, tool));
  return { ...agent, tools };
}

const runs = { pure: 'run pure tool', idempotent: 'run idempotent tool', once: 'run once tool' } as const;

function toolWithin(sim: Sim, process: Process, tool: Tool): Tool {
  const { check } = tool;
  return {
    ...tool,
    run: (input, context) =>
      perform(sim, process, runs[tool.policy], 'tool', (fault): unknown => {
        if (fault === 'throws before') return refused('it broke before it began');
        sim.referee.ran(process, tool, input, context);
        const result = tool.run(input, context);
        return fault === 'throws after' ? refused('it broke after it was done') : result;
      }),
    check:
      check === undefined
        ? undefined
        : (input, context) =>
            perform(sim, process, 'check tool', 'tool', (fault) =>
              fault === 'throws before' || fault === 'throws after'
                ? refused('the check broke')
                : check(input, context),
            ),
  };
}

/** A rejection that nobody may ever look at, because the process has died. */
function refused(message: string): Promise<never> {
  const rejection = Promise.reject(new Error(message));
  rejection.catch(() => undefined);
  return rejection;
}
