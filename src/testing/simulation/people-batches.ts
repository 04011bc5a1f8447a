import { addRows, closeBatch } from '../../app/add-rows.ts';
import { rowKeyOf } from '../../app/batches.ts';
import {
  type BatchAnswer,
  cancelBatch,
  extendBatch,
  pauseBatch,
  resumeBatch,
} from '../../app/manage-batch.ts';
import type { World } from '../../app/world.ts';
import { type Subject, strangerHears, tenantOf } from './people-jobs.ts';
import { type Action, ROW_IDS } from './scenario.ts';
import type { Process, Sim } from './sim.ts';

/** One person, one thing that is done to the batch of the schedule. Says `again` while it is not there yet. */
export async function actOnBatch(
  sim: Sim,
  world: World,
  process: Process,
  action: Action,
  subject: Subject,
): Promise<'done' | 'again'> {
  if (subject.batchId === '') return 'done';
  const { type } = await ask(sim, world, process, action, subject);
  return type === 'not_found' && !action.stranger ? 'again' : strangerHears(sim, action, subject, type);
}

async function ask(
  sim: Sim,
  world: World,
  process: Process,
  action: Action,
  subject: Subject,
): Promise<BatchAnswer | { readonly type: 'key_conflict' }> {
  const { batchId, rows } = subject;
  const tenant = tenantOf(action, subject);
  switch (action.type) {
    case 'cancel batch':
      if (!action.stranger) sim.referee.cancelling(rows);
      return cancelBatch(world, tenant, batchId);
    case 'close batch':
      return closeBatch(world, tenant, batchId);
    case 'pause batch':
      return pauseBatch(world, tenant, batchId);
    case 'resume batch':
      return resumeBatch(world, tenant, batchId);
    case 'extend batch': {
      const key = action.n < 4 ? undefined : `k${action.n % 2}`;
      process.adds = { microUsd: action.add, steps: 0, tokens: 0, seconds: 0 };
      process.wish = { type: 'extend batch', key };
      const wanted = { tenant, batchId, addMicroUsd: action.add };
      const answer = await extendBatch(world, key === undefined ? wanted : { ...wanted, key });
      sim.referee.extended(process, batchId, answer.type);
      return answer;
    }
    default:
      return add(sim, world, tenant, action, batchId);
  }
}

/** Up to three rows whose ids others add too, with the same content or another; now and then one that is refused. */
async function add(
  sim: Sim,
  world: World,
  tenant: string,
  { n }: Action,
  batchId: string,
): Promise<BatchAnswer> {
  const ids = Array.from({ length: 1 + (n % 3) }, (_, at) => `row${2 + ((n + at) % (ROW_IDS - 2))}`);
  const rows: unknown[] = ids.map((id) => ({ id, input: n % 2 === 0 ? 'please' : 'please do' }));
  if (n === 9) rows.push({ id: 'bad' });
  const answer = await addRows(world, { tenant, batchId, rows });
  if (answer.type === 'accepted')
    sim.referee.rowsTaken(
      batchId,
      ids.map((id) => rowKeyOf(world, batchId, id)),
    );
  return answer;
}
