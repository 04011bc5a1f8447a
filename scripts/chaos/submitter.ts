import { setTimeout as sleep } from 'node:timers/promises';
import { submit } from '../../src/app/submit.ts';
import type { World } from '../../src/app/world.ts';
import { RetryableError } from '../../src/core/errors.ts';
import { createWorld } from '../../src/create-world.ts';
import { noModel } from '../../src/lambda-world.ts';
import { localAwsClients } from '../../src/local/stand-ins.ts';
import { AGENT, chaosAgent } from './agent.ts';
import type { WorkerSettings } from './worker-settings.ts';

const MAX_TRIES = 50;
/** Every so many jobs one has money for little more than its ideal course: what chaos costs may stop it. */
const POOR_EVERY = 10;
const RICH_MICRO_USD = 250_000;

/** The side of a client: it meets the same proxies as the workers, and asks again with the same key until it is told. */
export function createSubmitter(worker: WorkerSettings): (n: number) => Promise<string> {
  const world = createWorld({
    ...localAwsClients(worker),
    tableName: worker.tableName,
    queueUrl: worker.queues.queueUrl,
    model: noModel,
    agents: [chaosAgent(worker.steps, () => undefined)],
    log: () => undefined,
  });
  return async (n) => {
    const jobId = await submitOne(world, n, worker.steps);
    // A client that never heard of it asks twice and must get the same job.
    const again = n % 5 === 0 ? await submitOne(world, n, worker.steps) : jobId;
    if (again !== jobId) throw new Error(`${jobId}: the same key gave another job, ${again}`);
    return jobId;
  };
}

async function submitOne(world: World, n: number, steps: number): Promise<string> {
  const ceilingMicroUsd = n % POOR_EVERY === 0 ? poorMicroUsd(steps) : RICH_MICRO_USD;
  const submission = { tenant: 'chaos', agent: AGENT, input: `Job ${n}`, key: `job ${n}`, ceilingMicroUsd };
  for (let tries = 0; ; tries += 1) {
    try {
      const submitted = await submit(world, submission);
      if (!('job' in submitted)) throw new Error(`${submitted.jobId}: conflicts with itself`);
      return submitted.job.id;
    } catch (error) {
      if (!(error instanceof RetryableError) || tries === MAX_TRIES) throw error;
      await sleep(Math.min(1_000, 50 * 2 ** tries));
    }
  }
}

/** Enough for every step, and for the reserve of one lost request. */
function poorMicroUsd(steps: number): number {
  return 20_000 + 1_500 * steps;
}
