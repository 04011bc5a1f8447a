import type { Batch } from '../core/batch.ts';
import { RetryableError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { Tenant } from '../core/tenant.ts';
import { forgetEnded } from './transcript.ts';
import type { World } from './world.ts';

interface Head {
  readonly id: string;
  readonly version: number;
  readonly apiBy: string;
}

/** How one kind of head is read and written. */
export interface Heads<H extends Head> {
  readonly load: (id: string) => Promise<H | undefined>;
  readonly commit: (head: H) => Promise<'committed' | 'refused'>;
}

const MAX_TRIES = 20;

/**
 * What a request wants of a head as it stands: a new head, or an answer without any change. `once`: made twice, the
 * change would count twice.
 */
export type Wish<H, Answer> = { readonly change: H; readonly once?: true } | { readonly answer: Answer };

/**
 * Changes a head for a request from outside: decides again on every fresh head, because a worker may have committed in
 * between. The mark `apiBy` is drawn once per request; a refused or unanswered write is ours only if it is read back.
 * Another request may have written its mark over ours since an unanswered write: then nobody can say whether ours landed,
 * and a change that may be made only once is not made again. Throws `RetryableError` `unknown_outcome` for that.
 */
export async function apiCommit<H extends Head, Answer>(
  world: World,
  heads: Heads<H>,
  id: string,
  wish: (head: H | undefined) => Promise<Wish<H, Answer>> | Wish<H, Answer>,
): Promise<{ readonly committed: H } | { readonly answer: Answer }> {
  const apiBy = world.ids.token();
  /** What an unanswered write of a change of once was to replace. As long as its mark stands, no request has landed since. */
  let doubted: H | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const head = await heads.load(id);
    if (head?.apiBy === apiBy) return { committed: head };
    if (doubted !== undefined && head?.apiBy !== doubted.apiBy) {
      throw new RetryableError(
        'unknown_outcome',
        `${id}: the change got no answer and others came after it; look whether it was made before you ask again`,
      );
    }
    const wanted = await wish(head);
    if ('answer' in wanted) return wanted;
    const next = { ...wanted.change, apiBy };
    try {
      if ((await heads.commit(next)) === 'committed') return { committed: next };
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      if (wanted.once === true) doubted ??= head;
      await world.clock.sleep(20 * tries);
    }
  }
  throw new RetryableError('busy', `${id}: changed by others ${MAX_TRIES} times in a row; try again`);
}

export const jobHeads = (world: World): Heads<Job> => ({
  load: world.store.loadJob,
  commit: async (job) => {
    const result = await world.store.commitJob(job);
    if (result === 'committed') forgetEnded(world, job);
    return result;
  },
});

/** The record of a tenant: absent, it has version 0. */
export const tenantHeads = (world: World): Heads<Tenant> => ({
  load: world.store.loadTenant,
  commit: world.store.commitTenant,
});

export const batchHeads = (world: World): Heads<Batch> => ({
  load: world.store.loadBatch,
  commit: world.store.commitBatch,
});
