import { type BatchSubmission, submitBatch } from '../../src/app/batches.ts';
import type { Batch } from '../../src/core/batch.ts';
import type { ModelOutcome } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { runUntilIdle } from './drive.ts';
import { callsModel, textReply } from './fake-model.ts';
import { memoryWorld, type TestWorld } from './world.ts';

export const tenant = 'default';
export const row = (id: string | number, input = `ticket ${id}`) => ({ id: `r${id}`, input });
export const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => row(from + n));

export function setup(outcomes: readonly ModelOutcome[] = [textReply('Done.')]) {
  const { model, asked } = callsModel(outcomes);
  return { world: memoryWorld({ agents: fieldAgents(newEffects()), model }), asked };
}

export async function submitted(world: TestWorld, changes: Partial<BatchSubmission> = {}): Promise<Batch> {
  const wanted = { tenant, agent: 'field', rows: rows(0, 3), open: false, ...changes };
  const answer = await submitBatch(world, wanted);
  if (answer.type === 'key_conflict') throw new Error('a key conflict');
  return answer.batch;
}

export async function headOf(world: TestWorld, { id }: Pick<Batch, 'id'>): Promise<Batch> {
  const batch = await world.store.loadBatch(id);
  if (batch === undefined) throw new Error('the batch is gone');
  return batch;
}

/** How often each input was asked about: nothing is lost and nothing doubled when each row's was once. */
export function inputs(asked: ReturnType<typeof setup>['asked']): readonly string[] {
  return asked
    .map(({ messages }) => JSON.stringify(messages[0]?.content).match(/ticket \w+/)?.[0] ?? '')
    .sort();
}
export const inputsOf = (from: number, to: number) =>
  rows(from, to)
    .map(({ input }) => input)
    .sort();

/** One of two rows that ran, and takes more. */
export async function openBatch() {
  const made = setup();
  const batch = await submitted(made.world, { rows: rows(0, 2), open: true, key: 'k' });
  await runUntilIdle(made.world);
  return { ...made, batch };
}
