import { builtInPrices } from '../../core/prices.ts';
import { createRandom, drawAt, placeOf, type Random } from '../random.ts';
import type { Setup } from './process-world.ts';
import type { Action, BatchPlan, JobPlan, Scenario } from './run.ts';
import { sampleAgents, wanderingBrain } from './sample-agents.ts';
import type { Tariff } from './sim-model.ts';

/** A hash that is no secret's: 22 characters from draws over the text, as fast as a run of thousands needs it. */
export function simulatedHash(text: string): string {
  const place = placeOf(text);
  const parts = [0, 1, 2, 3].map((n) =>
    Math.floor(drawAt(text.length, place, n) * 0x1_0000_0000).toString(36),
  );
  return parts.join('').padStart(22, '0').slice(-22);
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

/** The provider's list for `claude-sonnet-5`, in dollars a million tokens: written down once more, for the referee. */
const rates = { input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.2 };

export function tariffOf(random: Random): Tariff {
  return {
    rates,
    density: random.pick([0.25, 0.5, 1]),
    overhead: random.whole(0, 900),
    mood: random.chance(0.3) ? 'dearest' : 'mixed',
  };
}

const tenants = ['acme', 'globex'] as const;
const agents = ['plain', 'form'] as const;

function limitsOf(random: Random): JobPlan['limits'] {
  return {
    maxSteps: random.whole(1, 9),
    maxConsecutiveFailures: random.whole(1, 3),
    ...(random.chance(0.1) ? { maxTokens: random.whole(3_000, 20_000) } : {}),
    ...(random.chance(0.1) ? { timeoutSeconds: random.whole(5, 400) } : {}),
  };
}

/** From less than one call to more than all of them, in micro-dollars. */
const ceilingOf = (random: Random): number =>
  random.pick([9_000, 14_000, 25_000, 50_000, 100_000, 200_000, 200_000]);

function jobOf(random: Random): JobPlan {
  return {
    tenant: random.pick(tenants),
    agent: random.pick(agents),
    input: 'please',
    atMs: random.whole(0, 2_000),
    ceiling: ceilingOf(random),
    limits: limitsOf(random),
  };
}

function batchOf(random: Random): BatchPlan {
  const ceiling = ceilingOf(random);
  return {
    tenant: random.pick(tenants),
    agent: random.pick(agents),
    rows: random.whole(1, 4),
    atMs: random.whole(0, 2_000),
    budget: Math.floor(ceiling * (0.5 + 2.5 * random.next())),
    ceiling,
    limits: { ...limitsOf(random), maxSteps: random.whole(1, 3) },
    concurrency: random.whole(1, 3),
  };
}

const actionTypes = ['cancel', 'approve', 'approve', 'deny', 'extend', 'extend'] as const;

function actionsOf(random: Random, jobs: number, batch: boolean): readonly Action[] {
  const actions: Action[] = [];
  for (let left = random.whole(0, 3 + jobs); left > 0; left -= 1) {
    const action: Action = {
      type:
        batch && random.chance(0.3)
          ? random.pick(['cancel batch', 'extend batch', 'extend batch'] as const)
          : random.pick(actionTypes),
      job: random.whole(0, 9),
      atMs: random.whole(0, random.pick([50, 2_000, 60_000, 700_000])),
      stranger: random.chance(0.06),
      hasty: random.chance(0.15),
    };
    actions.push(action);
    // People click twice.
    if (random.chance(0.25)) actions.push({ ...action, atMs: action.atMs + random.whole(0, 200) });
  }
  return actions;
}

/** What a seed stands for: jobs, a batch or none, machines, people, and how the provider counts. */
export function randomScenario(seed: number): { readonly scenario: Scenario; readonly setup: Setup } {
  const random = createRandom(seed ^ 0x5ce4a);
  const batch = random.chance(0.35) ? batchOf(random) : undefined;
  const jobs = Array.from({ length: random.whole(batch === undefined ? 1 : 0, 4) }, () => jobOf(random));
  const functionMs = random.pick([15_000, 40_000, 120_000]);
  const scenario: Scenario = {
    jobs,
    batch,
    actions: actionsOf(random, jobs.length, batch !== undefined),
    machines: {
      containers: random.whole(1, 4),
      slots: random.whole(1, 3),
      functionMs,
      hardEnd: random.chance(0.4),
      maxSkewMs: random.pick([0, 0, 1_000, 30_000]),
    },
    faultyMs: random.pick([5_000, 60_000, 600_000, 1_800_000]),
    longestSleepMs: random.pick([1_000, functionMs, 3 * functionMs]),
  };
  return {
    scenario,
    setup: {
      agents: sampleAgents,
      prices: builtInPrices,
      brain: wanderingBrain,
      tariff: tariffOf(random),
      ids: simulatedIds(random),
    },
  };
}
