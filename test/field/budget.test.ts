import { describe, expect, it } from 'vitest';
import { viewSteps } from '../../src/app/views.ts';
import { handleOne } from '../support/drive.ts';
import { deliverOne, drive, killOne, openCase, receiveOne, runCase, TENANT } from './run-case.ts';
import { answer, done, loadScript, scriptOf } from './scripts.ts';

const AFTER_CALL_ONE = 0.37578;
const AFTER_CALL_TWO = 0.406416;

describe('money', () => {
  it('H-B1: counts the tokens of the cache at their own prices', async () => {
    const { job, strict } = await runCase({
      script: 'cache_usage',
      submission: { ceilingMicroUsd: 2_000_000 },
    });
    expect(job).toMatchObject({ status: 'succeeded', steps: 2 });
    expect(job.cost.spentUsd).toBe(AFTER_CALL_TWO);
    expect(job.usage).toEqual({
      inputTokens: 22,
      outputTokens: 90,
      cacheWriteTokens: 100_000,
      cacheReadTokens: 100_000,
    });
    expect(strict.billedMicroUsd()).toBe(406_416);
  });

  it.each([0.37, 0.4])('H-B1: stops after the first call under a ceiling of %d dollars', async (ceiling) => {
    const { job, strict, effects } = await runCase({
      script: 'cache_usage',
      submission: { ceilingMicroUsd: ceiling * 1_000_000 },
    });
    expect(job).toMatchObject({ status: 'stopped', steps: 1, stop: { reason: 'cost_ceiling' } });
    expect(job.cost.spentUsd).toBe(AFTER_CALL_ONE);
    expect(job.cost.spentUsd).toBeLessThanOrEqual(AFTER_CALL_TWO);
    expect(strict.calls()).toHaveLength(1);
    expect(effects.runs.size).toBe(0);
  });

  it('H-B2: counts replies that were cut or refused by our reader, and covers a lost one by its reserve', async () => {
    const [cut] = loadScript('cut_tool_use').turns;
    if (cut === undefined) throw new Error('the script is empty');
    const unusable = answer([{ type: 'text', text: 'Hm.' }], 'a_reason_from_the_future');
    const open = await openCase({ script: { name: 'billed', turns: [cut, unusable, done, done] } });
    await deliverOne(open);
    await deliverOne(open);
    const before = (await open.view()).cost;
    expect(before.spentUsd).toBeCloseTo((100 * 3 + 1024 * 15 + 100 * 3 + 20 * 15) / 1e6, 9);
    await killOne(open, 'model has answered');
    expect(open.strict.calls()).toHaveLength(3);
    const { reservedUsd } = (await open.view()).cost;
    const perReply = (100 * 3 + 20 * 15) / 1e6;
    expect(reservedUsd).toBeGreaterThan(perReply);
    const job = await drive(open, { cold: true });
    expect(job).toMatchObject({ status: 'succeeded', steps: 3 });
    expect(job.cost.unsettledUsd).toBe(reservedUsd);
    const steps = (await viewSteps(open.world, TENANT, open.jobId)) ?? [];
    expect(steps.map((step) => step.model['unsettledUsd'])).toEqual([0, 0, reservedUsd]);
    expect(steps.map((step) => step.model['unsettledEachUsd'])).toEqual([[], [], [reservedUsd]]);
    expect(job.cost.spentUsd).toBeCloseTo(before.spentUsd + reservedUsd + perReply, 9);
    expect(job.cost.spentUsd).toBeGreaterThanOrEqual(open.strict.billedMicroUsd() / 1e6);
  });
});

describe('limits', () => {
  it('H-B4: ends at max-steps with its work readable, and a redelivery takes no step', async () => {
    const open = await openCase({ script: 'twenty_steps', agent: { limits: { maxSteps: 5 } } });
    await deliverOne(open);
    await deliverOne(open);
    const third = receiveOne(open.world);
    await handleOne(open.world, third);
    await handleOne(open.world, third);
    expect(await open.view()).toMatchObject({ steps: 3 });
    const job = await drive(open);
    expect(job).toMatchObject({
      status: 'stopped',
      steps: 5,
      stop: { reason: 'max_steps', resumable: true },
    });
    expect(job.stop?.message).toContain('5 steps');
    expect(open.strict.calls()).toHaveLength(5);
    expect(open.effects.runs.get('search_kb')).toBe(4);
    expect((await open.messages()).map((message) => message.role)).toEqual(
      Array(5).fill(['user', 'assistant']).flat(),
    );
    expect(await viewSteps(open.world, TENANT, open.jobId)).toHaveLength(5);
  });

  it('H-B4: keeps the last text of a job that used all its steps', async () => {
    const words = answer(
      [
        { type: 'text', text: 'So far: two charges.' },
        { type: 'tool_use', id: 'toolu_0', name: 'search_kb', input: { query: 'a' } },
      ],
      'tool_use',
    );
    const { job } = await runCase({
      script: { name: 'words', turns: [words] },
      agent: { limits: { maxSteps: 1 } },
    });
    expect(job).toMatchObject({
      status: 'stopped',
      stop: { reason: 'max_steps' },
      text: 'So far: two charges.',
    });
  });

  it('H-B5: stops the next call at exactly the token budget and keeps what it has', async () => {
    const words = answer(
      [
        { type: 'text', text: 'So far: two charges.' },
        { type: 'tool_use', id: 'toolu_0', name: 'search_kb', input: { query: 'a' } },
      ],
      'tool_use',
    );
    const run = (maxTokens: number, turns: readonly (typeof words)[]) =>
      runCase({ script: { name: 'exact', turns: [...turns] }, agent: { limits: { maxTokens } } });
    const stopped = await run(120, [words, done]);
    expect(stopped.job).toMatchObject({
      ...{ status: 'stopped', steps: 1, stop: { reason: 'token_budget' } },
      text: 'So far: two charges.',
    });
    expect(stopped.strict.calls()).toHaveLength(1);
    expect((await run(121, [words, done])).job).toMatchObject({ status: 'succeeded', steps: 2 });
    expect((await run(120, [done])).job).toMatchObject({ status: 'succeeded', text: 'Done.' });
  });

  it('H-B5: charges the whole reserve for a reply without usage', async () => {
    const { job, world, jobId } = await runCase({
      script: {
        name: 'silent',
        turns: [answer([{ type: 'text', text: 'Done.' }], 'end_turn', { usage: undefined })],
      },
    });
    expect(job).toMatchObject({ status: 'succeeded', text: 'Done.' });
    const [step] = (await viewSteps(world, TENANT, jobId)) ?? [];
    expect(job.cost.spentUsd).toBeGreaterThan(0);
    expect(job.cost.spentUsd).toBe(step?.model['reservedUsd']);
    expect(job.usage.inputTokens + job.usage.outputTokens).toBeGreaterThan(0);
  });

  it.each([
    ['the token budget', { maxTokens: 20_000, maxSteps: 50, maxCostUsd: 100 }, 'token_budget'],
    ['the ceiling', { maxTokens: 10_000_000, maxSteps: 50, maxCostUsd: 0.3 }, 'cost_ceiling'],
  ] as const)('H-B5: reaches %s though no reply says what it used', async (_, limits, reason) => {
    const { turns } = scriptOf(
      ...Array.from({ length: 40 }, (_, n) => [['search_kb', { query: `${n}` }] as const]),
    );
    const silent = turns.map((turn) =>
      typeof turn.body === 'string' ? turn : { ...turn, body: { ...turn.body, usage: undefined } },
    );
    const { job } = await runCase({ script: { name: 'silent', turns: silent }, agent: { limits } });
    expect(job).toMatchObject({ status: 'stopped', stop: { reason } });
    expect(job.steps).toBeLessThan(20);
  });
});
