import { describe, expect, it } from 'vitest';
import { chunksAt } from '../../src/app/batch-rows.ts';
import { cancel } from '../../src/app/cancel.ts';
import { frozenAgent } from '../../src/app/prepare.ts';
import { reconcile } from '../../src/app/reconcile.ts';
import { createWarmTranscripts, type Transcript } from '../../src/app/transcript.ts';
import { freeze } from '../../src/core/frozen-agent.ts';
import { emptyItem } from '../../src/core/message-item.ts';
import { noOriginals } from '../../src/core/placeholders.ts';
import { deliverOne, drive, type OpenCase, openCase, TENANT } from '../field/run-case.ts';
import { done, inTurns, locked, scriptOf } from '../field/scripts.ts';
import { callsModel } from '../support/fake-model.ts';
import { memoryWorld } from '../support/world.ts';

describe('a process', () => {
  const search = ['search_kb', { query: 'a' }] as const;
  const refund = ['issue_refund', { orderId: 'A-77', amountCents: 100 }] as const;
  const hour = 3_600_000;

  type Ending = (open: OpenCase) => Promise<unknown>;
  const endings: readonly (readonly [string, Parameters<typeof openCase>[0], Ending])[] = [
    ['that succeeded', { script: scriptOf([search]) }, drive],
    [
      'that a limit stopped',
      { script: scriptOf([search], [search], [search]), submission: { limits: { maxSteps: 2 } } },
      drive,
    ],
    ['that the model refused', { script: inTurns(...scriptOf([search]).turns.slice(0, 1), locked) }, drive],
    [
      'that was cancelled',
      { script: scriptOf([refund]) },
      ({ world, jobId }) => cancel(world, TENANT, jobId),
    ],
    [
      'whose deadline passed in the queue',
      { script: scriptOf([search]) },
      async ({ world }) => {
        await world.clock.advance(24 * 365 * hour);
        await reconcile(world);
      },
    ],
  ];

  it.each(endings)(
    'keeps the transcript of a job while it goes on, and forgets that of one %s',
    async (_, given, end) => {
      const open = await openCase(given);
      await deliverOne(open);
      expect(open.world.warm.get(open.jobId)).toMatchObject({ count: 2 });
      await end(open);
      expect((await open.view()).finishedAt).not.toBeNull();
      expect(open.world.warm.get(open.jobId)).toBeUndefined();
    },
  );

  it('forgets the transcript of a job whose end was committed without an answer', async () => {
    const open = await openCase({ script: inTurns(done) });
    const { store } = open.world;
    const commitJob: typeof store.commitJob = async (job) => {
      const result = await store.commitJob(job);
      if (job.endedAtMs > 0) return 'refused';
      return result;
    };
    await deliverOne(open, { ...open.world, store: { ...store, commitJob } });
    expect(await open.view()).toMatchObject({ status: 'succeeded' });
    expect(open.world.warm.get(open.jobId)).toBeUndefined();
  });

  it('remembers the names of as many rows as the longest batch has, and forgets the oldest', async () => {
    const world = memoryWorld({ agents: [], model: callsModel([]).model });
    const ns = Array.from({ length: 250 }, (_, at) => at + 1);
    for (const n of ns) {
      const names = Array.from({ length: 1_000 }, (_, at) => `${n}.${at}`);
      await world.store.putChunk('batch_1', n, { names, refused: [] });
    }
    for (const n of ns) expect((await chunksAt(world, 'batch_1', [n])).get(n)?.names[0]).toBe(`${n}.0`);
    const known = [...world.chunks.values()].reduce((sum, { names }) => sum + names.length, 0);
    expect(known).toBeGreaterThan(100_000);
    expect(known).toBeLessThanOrEqual(200_000);
    expect(world.chunks.has('batch_1 250')).toBe(true);
    expect(world.chunks.has('batch_1 1')).toBe(false);
  });

  it('remembers a hundred versions of agents, and reads a forgotten one again', async () => {
    const { world } = await openCase({ script: inTurns(done) });
    const [agent] = world.agents.values();
    if (agent === undefined) throw new Error('there is no agent');
    for (let n = 0; n < 250; n += 1) {
      await world.store.putAgent('field', `v${n}`, freeze(agent));
      await frozenAgent(world, 'field', `v${n}`);
      expect(world.frozen.size).toBeLessThanOrEqual(100);
    }
    expect(await frozenAgent(world, 'field', 'v0')).toMatchObject({ model: 'scripted-1' });
  });
});

describe('warm transcripts', () => {
  const transcript = (jobId: string, text: string, metadata = '{}'): Transcript => ({
    jobId,
    info: { v: 1, agentVersion: 'a', metadata, bodyHash: 'b' },
    ...{ count: 1, hash: 'h', ids: new Set<string>(), size: text.length },
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    last: { ...emptyItem(0, 0), user: text },
    ...{ originals: noOriginals, plain: undefined },
  });
  const kept = (warm: ReturnType<typeof createWarmTranscripts>, count: number): number =>
    Array.from({ length: count }, (_, n) => warm.get(`job_${n}`)).filter((one) => one !== undefined).length;

  it.each([
    ['short ones, for the objects around their texts', 'hi', '{}', 50],
    ['long ones, for their texts as they are sent and as they are stored', 'x'.repeat(40_000), '{}', 1],
    ['ones with much metadata', 'hi', 'm'.repeat(48_000), 2],
  ])('of %s weigh what they take of memory', (_, text, metadata, most) => {
    const warm = createWarmTranscripts(100_500);
    for (let n = 0; n < 100; n += 1) warm.set(transcript(`job_${n}`, text, metadata));
    expect(kept(warm, 100)).toBe(most);
    expect(warm.get('job_99')).toBeDefined();
  });

  it('weigh nothing any more once they are dropped or replaced', () => {
    const warm = createWarmTranscripts(100_500);
    for (let n = 0; n < 1_000; n += 1) {
      warm.set(transcript('job_0', 'hi'));
      warm.set(transcript('job_1', 'hi'));
      warm.drop('job_1');
      warm.drop('job_1');
    }
    for (let n = 0; n < 100; n += 1) warm.set(transcript(`job_${n}`, 'hi'));
    expect(kept(warm, 100)).toBe(50);
  });
});
