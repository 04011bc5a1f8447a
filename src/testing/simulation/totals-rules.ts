import type { Item } from '../../ports.ts';
import type { JobWatch } from './job-watch.ts';
import type { Violation } from './referee.ts';
import type { Sim } from './sim.ts';

/** Jobs, steps and micro-dollars, settled and unsettled. */
type Sums = readonly [number, number, number, number];

const add = (sums: readonly Sums[]): Sums =>
  sums.reduce((a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]], [0, 0, 0, 0]);

const storedSums = (item: Item): Sums => [
  Number(item['jobs']),
  Number(item['steps']),
  Number(item['settled']),
  Number(item['unsettled']),
];

const jobSums = (jobs: readonly JobWatch[]): Sums =>
  add(
    jobs.flatMap(({ head }) => (head === undefined ? [] : [[1, head.steps, head.settled, head.unsettled]])),
  );

/** What is wrong with the totals of the tenants once every job has ended and is due no more: each is in them once. */
export function totalsProblem(sim: Sim): Pick<Violation, 'invariant' | 'jobId' | 'what'> | undefined {
  const jobs = [...sim.referee.jobs.values()];
  const totals = sim.table.all().filter((item) => String(item['pk']).startsWith('COST#'));
  const check = (
    name: string,
    of: readonly JobWatch[],
    items: readonly Item[],
  ): ReturnType<typeof totalsProblem> => {
    const [is, should] = [add(items.map(storedSums)).join(), jobSums(of).join()];
    return is === should
      ? undefined
      : { invariant: '1 money', jobId: name, what: `its totals are ${is}, its jobs add up to ${should}` };
  };
  for (const tenant of new Set(jobs.flatMap(({ head }) => head?.tenant ?? []))) {
    const days = totals.filter(({ pk, sk }) => pk === `COST#${tenant}` && String(sk).startsWith('DAY#'));
    const wrong = check(
      tenant,
      jobs.filter(({ head }) => head?.tenant === tenant),
      days,
    );
    if (wrong !== undefined) return wrong;
  }
  for (const batchId of sim.referee.batches.keys()) {
    const wrong = check(
      batchId,
      jobs.filter((job) => job.batchId === batchId),
      totals.filter(({ sk }) => sk === `BATCH#${batchId}`),
    );
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
