import type { Job } from '../core/job.ts';
import { type JobInfo, type MessageItem, type StoredCall, storedCalls } from '../core/message-item.ts';
import { hasApprovals } from './approve.ts';
import type { World } from './world.ts';

/** What people see of a job beside its head. */
export interface Shown {
  readonly info: JobInfo | undefined;
  readonly input: MessageItem | undefined;
  /** The item with the last text of the model. */
  readonly text: MessageItem | undefined;
  /** The item with the answer of a job that succeeded. */
  readonly answer: MessageItem | undefined;
  /** The calls of the reply that a person has to decide on, or had. */
  readonly asked: readonly StoredCall[];
}

export const nothingShown: Shown = {
  info: undefined,
  input: undefined,
  text: undefined,
  answer: undefined,
  asked: [],
};

/** Reads the few items that show: never a whole transcript, however long it is. */
export async function readShown(world: World, jobs: readonly Job[]): Promise<ReadonlyMap<string, Shown>> {
  const found = await world.store.readItems(new Map(jobs.map((job) => [job.id, placesOf(world, job)])));
  return new Map(
    jobs.map((job) => {
      const { info, items } = found.get(job.id) ?? { info: undefined, items: new Map() };
      return [job.id, job.deleted ? { ...nothingShown, info } : shownOf(job, info, items)];
    }),
  );
}

function placesOf(world: World, job: Job): readonly number[] {
  if (job.deleted) return [1];
  const answer = job.status.type === 'succeeded' && world.agents.get(job.agent)?.output !== undefined;
  const asked = job.pending !== undefined && hasApprovals(job) ? [job.pending.item] : [];
  return [1, job.textAt, ...(answer ? answerPlaces(job) : []), ...asked].filter((at) => at > 0);
}

/** The reply that ended a job is its last item, or the one before where other calls stood beside the answer. */
const answerPlaces = (job: Job): readonly number[] => [job.count, job.count - 1];

function shownOf(job: Job, info: JobInfo | undefined, items: ReadonlyMap<number, MessageItem>): Shown {
  const asked = job.pending === undefined ? undefined : items.get(job.pending.item);
  return {
    info,
    input: items.get(1),
    text: items.get(job.textAt),
    answer: answerPlaces(job)
      .map((at) => items.get(at))
      .find((item) => item?.kept === true && item.reply !== undefined),
    asked: asked === undefined ? [] : storedCalls(asked),
  };
}
