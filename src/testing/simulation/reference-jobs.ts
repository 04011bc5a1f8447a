import { says, scriptedBrain } from '../brains.ts';
import { calls } from './sample-agents.ts';
import type { BatchPlan, Scenario } from './scenario.ts';
import type { Brain } from './sim-model.ts';

/** A small scenario that is played with every fault at every seam. */
export interface ReferenceJob {
  readonly name: string;
  readonly brain: Brain;
  readonly scenario: Scenario;
  /** Faults that are part of the story. */
  readonly always: readonly string[];
}

const calm = {
  batch: undefined,
  actions: [],
  machines: { containers: 2, slots: 1, functionMs: 40_000, hardEnd: false, maxSkewMs: 0 },
  faultyMs: 3_600_000,
  longestSleepMs: 120_000,
  beforeMidnightMs: 57_600_000,
  dailyMicroUsd: undefined,
  listeners: { events: false, webhook: true, deaf: false },
} as const;

function oneJob(name: string, brain: Brain, ceiling = 200_000): ReferenceJob {
  const job = {
    ...{ tenant: 'acme', agent: 'plain', input: 'please', atMs: 0, ceiling, limits: { maxSteps: 4 } },
    ...{ webhook: false, rival: false },
  };
  return { name, brain, always: [], scenario: { ...calm, jobs: [job] } };
}

const approve = { type: 'approve', job: 0, atMs: 100, stranger: false, hasty: false, add: 0, n: 0 } as const;

function approval(): ReferenceJob {
  const job = oneJob('approval', scriptedBrain([calls('refund'), says('done')]));
  return { ...job, scenario: { ...job.scenario, actions: [approve] } };
}

function batchOfThree(): ReferenceJob {
  const batch: BatchPlan = {
    ...{ tenant: 'acme', agent: 'plain', rows: ['a', 'b', 'c'], atMs: 0, limits: { maxSteps: 2 } },
    ...{ budget: 70_000, ceiling: 30_000, concurrency: 2, kind: 'known', webhook: false, rival: false },
  };
  return {
    name: 'a batch of three with a pool',
    brain: scriptedBrain([calls('pay'), says('done')]),
    always: [],
    scenario: { ...calm, jobs: [], batch },
  };
}

/** A job that the provider refuses, and that is taken back to its first step; others are told of both its ends. */
function retryFromAStep(): ReferenceJob {
  const brain: Brain = (asked) => {
    if (asked.serial === 2) return { content: [], refused: true };
    return asked.serial === 1 ? calls('look')(asked) : says('done')();
  };
  const { scenario, ...job } = oneJob('a retry from a step', brain);
  const actions = [{ ...approve, type: 'retry', n: 6 } as const];
  const jobs = scenario.jobs.map((plan) => ({ ...plan, webhook: true }));
  return { ...job, scenario: { ...scenario, actions, jobs } };
}

function followUpAndDelete(): ReferenceJob {
  const { scenario, ...job } = oneJob(
    'a follow-up, then deleted',
    scriptedBrain([calls('pay'), says('done')]),
  );
  const later = { ...approve, type: 'follow up', n: 6 } as const;
  const actions = [later, { ...later, atMs: 150 }, { ...approve, type: 'delete', atMs: 90_000 } as const];
  return { ...job, scenario: { ...scenario, actions } };
}

function openBatch(): ReferenceJob {
  const { scenario, ...job } = batchOfThree();
  // It rests by then, and nobody adds them again.
  const actions = [{ ...approve, type: 'add rows', atMs: 20_000 } as const];
  const batch: BatchPlan | undefined = scenario.batch && {
    ...scenario.batch,
    ...{ kind: 'open', rows: ['a'] },
  };
  return { ...job, name: 'an open batch', scenario: { ...scenario, batch, actions } };
}

/** One of each kind. */
export const referenceJobs: readonly ReferenceJob[] = [
  oneJob('plain answer', scriptedBrain([says('done')])),
  oneJob('three tools of the three policies', scriptedBrain([calls('look', 'book', 'pay'), says('done')])),
  approval(),
  oneJob('budget stop', scriptedBrain([calls('pay')]), 18_000),
  {
    ...oneJob('retry after 529', scriptedBrain([calls('pay'), says('done')])),
    always: ['worker: ask model#1=529'],
  },
  batchOfThree(),
  retryFromAStep(),
  followUpAndDelete(),
  openBatch(),
];
