import { evolve } from '../core/evolve.ts';
import { isEnded, type Job } from '../core/job.ts';
import { readQueueMessage } from '../core/queue-message.ts';
import { apiCommit, jobHeads, type Wish } from './api-commit.ts';
import type { World } from './world.ts';

/**
 * Keeps a message that the queue gave up, and makes its job due. It never fails the job: an unleased job whose next
 * message waits looks dead and is healthy; the job's own attempts counter ends one that cannot go on.
 */
export async function takeDeadLetter(world: World, id: string, body: string): Promise<void> {
  const read = readQueueMessage(body);
  const reason =
    read.type === 'unreadable'
      ? read.reason
      : read.type === 'newer'
        ? `version ${read.version}`
        : 'received too often';
  await world.store.putDeadLetter({ id, body, reason, atMs: world.clock.now() });
  world.log('error', 'a message became a dead letter', { id, reason });
  if (read.type !== 'message' || !('jobId' in read.message)) return;
  const { jobId, turn } = read.message;
  await apiCommit(world, jobHeads(world), jobId, (job): Wish<Job, 'nothing'> => {
    if (job === undefined || isEnded(job) || job.turn !== turn) return { answer: 'nothing' };
    if (job.status.type === 'awaiting_approval') return { answer: 'nothing' };
    const nowMs = world.clock.now();
    const dueAtMs = job.status.type === 'running' ? Math.max(nowMs, job.status.lease.untilMs) : nowMs;
    return { change: evolve(job, { type: 'due_moved', nowMs, dueAtMs }) };
  });
}
