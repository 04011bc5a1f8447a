import type { Batch } from '../core/batch.ts';
import type { Job } from '../core/job.ts';
import type { World } from './world.ts';

/**
 * Whether a head is there for this tenant: not another's, and not one that has outlived its retention, which the table
 * may take days to remove.
 */
export function isOwn<Head extends Pick<Job | Batch, 'tenant' | 'endedAtMs'>>(
  world: World,
  tenant: string,
  head: Head | undefined,
): head is Head {
  if (head === undefined || head.tenant !== tenant) return false;
  return head.endedAtMs === 0 || head.endedAtMs + world.retentionMs > world.clock.now();
}
