import { readFileSync } from 'node:fs';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { unmarshal } from '../../src/adapters/marshal.ts';
import { cancel } from '../../src/app/cancel.ts';
import { start } from '../../src/app/control.ts';
import { submit } from '../../src/app/submit.ts';
import { defineAgent } from '../../src/core/agent.ts';
import type { Item, Key } from '../../src/ports.ts';
import { runFor, runUntilIdle } from '../support/drive.ts';
import { callsModel, textReply, toolReply } from '../support/fake-model.ts';
import { payTool } from '../support/stage.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

// What docs/operate.md says of a restored table: older than the effects that tools have had.

/** The item that the runbook puts to stop everything in a restored table. */
function stopItem(): Item & Key {
  const text = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8');
  const json = /put-item --table-name "\$RESTORED" --item '([^']+)'/.exec(text)?.[1] ?? '{}';
  return unmarshal(JSON.parse(json) as Record<string, AttributeValue>) as Item & Key;
}

interface Restored {
  readonly world: TestWorld;
  readonly jobId: string;
  /** The idempotency keys of the payments so far. */
  readonly paid: readonly string[];
}

/** A job that has paid, on a table of the time before it did; the queues are empty and the switch is on. */
async function restored(): Promise<Restored> {
  const paid: string[] = [];
  const { model } = callsModel([toolReply(['pay', { amount: 5 }]), textReply('Done.')]);
  const agent = defineAgent({
    name: 'desk',
    model: 'scripted-1',
    system: 'You pay.',
    tools: [payTool(paid)],
  });
  const world = memoryWorld({ agents: [agent], model });
  const submitted = await submit(world, { tenant: 'default', agent: 'desk', input: 'Pay 5.' });
  if (submitted.type !== 'created') throw new Error('the job was not made');
  let then: readonly Item[] = [];
  let handled = 0;
  await runUntilIdle(world, {
    each: () => {
      // Before the second message: the model has asked for the call, and nobody has run it.
      handled += 1;
      if (handled === 2) then = world.table.all();
      return world;
    },
  });
  expect(paid).toHaveLength(1);
  await world.table.removeMany(world.table.all() as (Item & Key)[]);
  await world.table.putMany([...(then as (Item & Key)[]), stopItem()]);
  world.queue.clear();
  return { world: { ...world.restarted(), queue: world.queue }, jobId: submitted.job.id, paid };
}

it('does nothing on a restored table as long as the switch of the runbook is on', async () => {
  const { world, jobId, paid } = await restored();
  await runFor(world, 10);
  expect(paid).toHaveLength(1);
  expect((await world.store.loadJob(jobId))?.status.type).toBe('queued');
});

it('pays again once it goes on, with the same key, because the journal does not know of the first time', async () => {
  const { world, jobId, paid } = await restored();
  await start(world, 'everything');
  await runFor(world, 10);
  expect(paid).toHaveLength(2);
  expect(paid[1]).toBe(paid[0]);
  expect((await world.store.loadJob(jobId))?.status.type).toBe('succeeded');
});

it('does not pay again when it was cancelled before the switch was lifted', async () => {
  const { world, jobId, paid } = await restored();
  await cancel(world, 'default', jobId);
  await start(world, 'everything');
  await runFor(world, 10);
  expect(paid).toHaveLength(1);
  expect((await world.store.loadJob(jobId))?.status.type).toBe('cancelled');
});
