import type { Agent } from '../../core/agent.ts';
import { type PriceTable, worstCost } from '../../core/prices.ts';
import { firstBound } from '../../core/quote.ts';
import { createRandom, type Random } from '../random.ts';
import type { Setup } from './process-world.ts';
import type { Action, ActionType, BatchPlan, JobPlan, Listeners, Scenario } from './scenario.ts';
import type { Brain, Tariff } from './sim-model.ts';

/** A hash that is no secret's: 22 characters from two sums over the text, as fast as thousands of runs need it. */
function simulatedHash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995) ^ (b >>> 15);
  }
  const low = (b >>> 0).toString(36).padStart(7, '0');
  return `hash${low}${(a >>> 0).toString(36).padStart(11, '0')}`;
}

/** Ids that count up, hashes and draws that depend on the seed alone. */
export function simulatedIds(random: Random): Setup['ids'] {
  let drawn = 0;
  return {
    hash: simulatedHash,
    random: random.next,
    token: () => {
      drawn += 1;
      return `t${String(drawn).padStart(15, '0')}`;
    },
  };
}

/** Who plays in the runs of a simulation. */
export interface Cast {
  /** At least one. */
  readonly agents: readonly Agent[];
  readonly brain: Brain;
  /** What the code under test believes that models cost. */
  readonly prices: PriceTable;
  /** What the provider really takes. */
  readonly ratesOf: Tariff['ratesOf'];
  /** Inputs of the jobs. */
  readonly inputs: readonly string[];
  /** Called before each run: tools that remember anything forget it. */
  readonly reset: () => void;
  /** What is wrong with the world of the tools once a schedule has come to rest; undefined for nothing. */
  readonly judge: () => string | undefined;
}

function tariffOf(random: Random, ratesOf: Tariff['ratesOf']): Tariff {
  return {
    ratesOf,
    density: random.pick([0.25, 0.5, 1]),
    overhead: random.whole(0, 900),
    mood: random.chance(0.3) ? 'dearest' : 'mixed',
  };
}

const tenants = ['acme', 'globex'] as const;
function limitsOf(random: Random): JobPlan['limits'] {
  return {
    maxSteps: random.whole(1, 9),
    maxConsecutiveFailures: random.whole(1, 3),
    ...(random.chance(0.1) ? { maxTokens: random.whole(3_000, 20_000) } : {}),
    ...(random.chance(0.1) ? { timeoutSeconds: random.whole(5, 400) } : {}),
  };
}

/** What the first call of an agent is held at, in micro-dollars: the unit in which ceilings are drawn. */
const callCosts = new WeakMap<Agent, number>();

function callCost(agent: Agent, prices: PriceTable): number {
  const known = callCosts.get(agent);
  if (known !== undefined) return known;
  const price = prices[agent.model];
  if (price === undefined) throw new Error(`model ${agent.model} has no price`);
  const tools = [...agent.tools.values()].map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const cost = worstCost(price, firstBound(agent.system, tools, []), agent.maxOutputTokens);
  callCosts.set(agent, cost);
  return cost;
}

/** From less than one call to more than all of them. */
function ceilingOf(random: Random, agent: Agent, prices: PriceTable): number {
  return Math.ceil(callCost(agent, prices) * random.pick([0.7, 1.2, 2, 4, 8, 15, 15]));
}

function jobOf(random: Random, { agents, prices, inputs }: Cast): JobPlan {
  const agent = random.pick(agents);
  return {
    tenant: random.pick(tenants),
    agent: agent.name,
    input: random.pick(inputs),
    atMs: random.whole(0, 2_000),
    ceiling: ceilingOf(random, agent, prices),
    limits: limitsOf(random),
    webhook: random.chance(0.3),
    rival: random.chance(0.08),
  };
}

function batchOf(random: Random, { agents, prices, inputs }: Cast): BatchPlan {
  const agent = random.pick(agents);
  const ceiling = ceilingOf(random, agent, prices);
  const kind = random.pick(['known', 'closed', 'open', 'open'] as const);
  return {
    tenant: random.pick(tenants),
    agent: agent.name,
    rows: Array.from({ length: random.whole(1, 4) }, () => random.pick(inputs)),
    atMs: random.whole(0, 2_000),
    budget: Math.ceil(ceiling * (0.5 + 2.5 * random.next())),
    ceiling,
    limits: { ...limitsOf(random), maxSteps: random.whole(1, 3) },
    concurrency: random.whole(1, 3),
    kind,
    webhook: kind !== 'known' && random.chance(0.6),
    rival: kind !== 'known' && random.chance(0.15),
  };
}

const ofJobs: readonly ActionType[] = [
  ...(['cancel', 'approve', 'approve', 'approve', 'deny', 'extend', 'extend', 'extend'] as const),
  ...(['retry', 'retry', 'retry', 'follow up', 'follow up', 'delete'] as const),
];
const ofBatches: readonly ActionType[] = [
  ...(['cancel batch', 'extend batch', 'extend batch', 'extend', 'retry', 'follow up'] as const),
  ...(['pause batch', 'resume batch', 'resume batch', 'delete'] as const),
];
const ofOpenBatches: readonly ActionType[] = [
  ...ofBatches,
  ...(['add rows', 'add rows', 'add rows', 'close batch'] as const),
];

function actionsOf(random: Random, jobs: number, batch: BatchPlan | undefined): readonly Action[] {
  const actions: Action[] = [];
  if (random.chance(0.08)) actions.push(stopOf(random));
  const batches = batch?.kind === 'open' ? ofOpenBatches : ofBatches;
  if (batch?.kind === 'open')
    for (let left = random.whole(0, 3); left > 0; left -= 1) actions.push(additionOf(random));
  for (let left = random.whole(0, 4 + jobs); left > 0; left -= 1) {
    const action: Action = {
      type: random.pick(batch !== undefined && random.chance(0.5) ? batches : ofJobs),
      job: random.whole(0, 9),
      atMs: random.whole(0, random.pick([50, 2_000, 60_000, 700_000])),
      stranger: random.chance(0.06),
      hasty: random.chance(0.15),
      add: random.pick([0, 10_000, 60_000]),
      n: random.whole(0, 11),
    };
    actions.push(action);
    // People click twice.
    if (random.chance(0.25)) actions.push({ ...action, atMs: action.atMs + random.whole(0, 200) });
  }
  return actions;
}

/** Somebody stops a tenant, or everything. */
function stopOf(random: Random): Action {
  return {
    ...{ type: 'stop', stranger: false, hasty: false, add: 0 },
    ...{ job: random.whole(0, 1), atMs: random.whole(0, 60_000), n: random.whole(0, 11) },
  };
}

/** Somebody adds rows to the open batch. */
function additionOf(random: Random): Action {
  return {
    ...{ type: 'add rows', stranger: false, hasty: false, add: 0, job: 0 },
    ...{ atMs: random.whole(0, random.pick([3_000, 60_000])), n: random.whole(0, 11) },
  };
}

/** Nobody, mostly: then nothing may be written or sent for it. */
function listenersOf(random: Random): Listeners {
  const webhook = random.chance(0.8);
  return { events: random.chance(0.15), webhook, deaf: random.chance(0.02) };
}

/** Some tenants have a bound for each day, which is less than their jobs want; a batch waits until one of its rows fits. */
function dailyOf(random: Random, jobs: readonly JobPlan[], row: number): number | undefined {
  const most = Math.max(row, ...jobs.map(({ ceiling }) => ceiling));
  if (most === 0 || !random.chance(0.25)) return undefined;
  return Math.max(row, Math.ceil(most * (0.9 + 3 * random.next())));
}

/** What a seed stands for: jobs, a batch or none, machines, people, and how the provider counts. */
export function randomScenario(
  seed: number,
  cast: Cast,
): { readonly scenario: Scenario; readonly setup: Setup } {
  const random = createRandom(seed ^ 0x5ce4a);
  const batch = random.chance(0.45) ? batchOf(random, cast) : undefined;
  const jobs = Array.from({ length: random.whole(batch === undefined ? 1 : 0, 4) }, () =>
    jobOf(random, cast),
  );
  const functionMs = random.pick([15_000, 40_000, 120_000]);
  const scenario: Scenario = {
    jobs,
    batch,
    actions: actionsOf(random, jobs.length, batch),
    machines: {
      containers: random.whole(1, 4),
      slots: random.whole(1, 3),
      functionMs,
      hardEnd: random.chance(0.4),
      maxSkewMs: random.pick([0, 0, 1_000, 30_000]),
    },
    faultyMs: random.pick([5_000, 60_000, 600_000, 1_800_000]),
    longestSleepMs: random.pick([1_000, functionMs, 3 * functionMs]),
    beforeMidnightMs: random.chance(0.1) ? random.whole(1_000, 600_000) : 57_600_000,
    dailyMicroUsd: dailyOf(random, jobs, batch?.ceiling ?? 0),
    listeners: listenersOf(random),
  };
  return {
    scenario,
    setup: {
      agents: cast.agents,
      prices: cast.prices,
      brain: cast.brain,
      judge: cast.judge,
      tariff: tariffOf(random, cast.ratesOf),
      ids: simulatedIds(random),
    },
  };
}
