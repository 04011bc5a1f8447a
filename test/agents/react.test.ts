import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { agents } from '../../src/agents/index.ts';
import { react } from '../../src/agents/react.ts';
import type { Agent } from '../../src/core/agent.ts';
import { defineAgent } from '../../src/core/agent.ts';
import type { Message } from '../../src/core/content.ts';
import { builtInPrices } from '../../src/core/prices.ts';
import { type DevStack, observations, reply, says, startDev } from '../support/dev-stack.ts';
import type { LogLine } from '../support/world.ts';

const copyOf = (name: string, model: string, context?: NonNullable<Agent['context']>): Agent =>
  defineAgent({
    ...{ name, model, system: react.system, tools: [...react.tools.values()], limits: react.limits },
    ...{ maxOutputTokens: react.maxOutputTokens, ...(context === undefined ? {} : { context }) },
  });
const dearer = copyOf('dearer', 'claude-sonnet-4-6');
const dropping = copyOf('dropping', 'claude-haiku-5-5', { maxTokens: 8_000, boundThinking: 'drop' });

let dev: DevStack;
beforeAll(async () => {
  dev = await startDev([react, dearer, dropping]);
});
afterAll(() => dev.close());

const ask = (input: string, limits = {}, agent = 'react') => dev.run({ agent, input, limits });

/** The lines of a job's steps, the last of which may come a little after its end can be read. */
async function stepLines(jobId: string, count: number): Promise<readonly LogLine[]> {
  const linesOf = () =>
    dev.lines.filter(({ message, fields }) => message === 'step' && fields['jobId'] === jobId);
  await vi.waitFor(() => expect(linesOf()).toHaveLength(count));
  return linesOf();
}

const add = { type: 'tool_use', id: 'toolu_0', name: 'calculate', input: { expression: '1 + 1' } };
/** A reply that says what it used: a thousand tokens in, a hundred out. */
const used = reply([{ type: 'text', text: 'Adding.' }, add], 'tool_use', {
  ...{ input_tokens: 700, cache_creation_input_tokens: 100, cache_read_input_tokens: 200 },
  output_tokens: 100,
});

describe('the react agent', () => {
  it('no tool call → final answer in one step', async () => {
    const job = await ask('Hello');
    expect(job).toMatchObject({ status: 'succeeded', steps: 1, stop: { reason: 'completed' } });
    expect(job.text).toBe('I can calculate, tell the time and keep notes.');
  });

  it('max_steps without an answer says so and keeps the last text', async () => {
    dev.script('no answer', [says('Still adding.', ['calculate', { expression: '1 + 1' }])], true);
    const job = await ask('no answer');
    expect(job).toMatchObject({ status: 'stopped', steps: 10, text: 'Still adding.', output: null });
    expect(job.stop).toEqual({
      reason: 'max_steps',
      message: 'The job used all its steps without an answer: 10 steps used.',
      resumable: true,
    });
  });

  it('calculates, keeps notes for its own job, and answers a follow-up from them', async () => {
    const first = await ask('What is 6 * (3 + 4)? Remember it as answer.');
    expect(first).toMatchObject({ status: 'succeeded', steps: 3 });
    expect(first.text).toBe('6 * (3 + 4) = 42. I noted answer.');
    await dev.client.followUp(first.id, 'What is in the note on answer?');
    expect((await dev.rest(first.id)).text).toBe('answer is 42.');
    const other = await ask('What is in the note on answer?');
    expect(other.text).toContain('no note is saved under answer. There are no notes.');
  });

  it('reads the clock when the call is run, by a tool that is pure', async () => {
    const before = new Date().toISOString();
    const job = await ask('What time is it?');
    const said = /It is (.*)\.$/.exec(job.text ?? '')?.[1] ?? '';
    expect(said >= before && said <= new Date().toISOString()).toBe(true);
    const { items } = await dev.client.steps(job.id);
    expect(items[0]?.calls).toMatchObject([{ name: 'current_time', policy: 'pure' }]);
  });
});

describe('the controls of the react agent', () => {
  it.each([
    ['react', react.model, 0.001_345],
    ['dearer', dearer.model, 0.004_035],
  ])('cost per model tracked from usage: %s on %s', async (agent, model, costUsd) => {
    dev.script(`usage of ${agent}`, [used, says('Two.')]);
    const job = await ask(`usage of ${agent}`, {}, agent);
    const { items } = await dev.client.steps(job.id);
    expect(items[0]?.model).toMatchObject({
      ...{ stopReason: 'tool_use', costUsd },
      usage: { inputTokens: 700, outputTokens: 100, cacheWriteTokens: 100, cacheReadTokens: 200 },
    });
    const price = builtInPrices[model];
    const { input = 0, cacheWrite5m = 0, cacheRead = 0, output = 0 } = price ?? {};
    const micro = (700 * input + 100 * cacheWrite5m + 200 * cacheRead + 100 * output) / 1e6;
    expect(costUsd * 1e6).toBeCloseTo(micro, 6);
    const total = items.reduce((sum, step) => sum + step.model.costUsd, 0);
    expect(job.cost.spentUsd).toBeCloseTo(total, 9);
  });

  it('token budget: stops once it is used, and goes on when it is extended', async () => {
    dev.script('tokens', [used, used, used, says('Enough.')]);
    const job = await ask('tokens', { maxTokens: 3_000 });
    expect(job).toMatchObject({ status: 'stopped', steps: 3, stop: { reason: 'token_budget' } });
    expect(job.stop?.message).toContain('3300 of 3000 tokens used');
    await dev.client.extend(job.id, { addTokens: 50_000 });
    expect(await dev.rest(job.id)).toMatchObject({ status: 'succeeded', steps: 4, text: 'Enough.' });
  });

  it('consecutive-failure threshold: three steps in a row whose tool failed', async () => {
    dev.script('failures', [says('Again.', ['calculate', { expression: '1 / 0' }])], true);
    const job = await ask('failures');
    expect(job).toMatchObject({ status: 'stopped', stop: { reason: 'consecutive_failures' }, steps: 4 });
    expect(job.stop?.message).toContain('3 in a row, the last: calculate');
    const [first] = await observations(dev, job.id);
    expect(first).toMatchObject({ output: 'Error: division by zero', isError: true });
  });

  it('a step that succeeds begins the count of failures anew', async () => {
    const [bad, good] = ['1 / 0', '1 + 1'].map((expression) => says('', ['calculate', { expression }]));
    if (bad === undefined || good === undefined) throw new Error('no turns');
    dev.script('recovers', [bad, bad, good, bad, bad, says('Done.')]);
    expect(await ask('recovers')).toMatchObject({ status: 'succeeded', steps: 6 });
  });

  it('cancel by the user in the middle: nothing more is asked, and what was done is kept', async () => {
    const scripted = dev.script('cancel', [used, { ...says('Too late.'), delayMs: 60_000 }]);
    const { id } = await dev.client.submit({ agent: 'react', input: 'cancel' });
    while (scripted.calls().length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await dev.client.cancel(id)).toMatchObject({ status: 'running' });
    const job = await dev.rest(id);
    expect(job).toMatchObject({ status: 'cancelled', steps: 1, stop: { reason: 'cancelled' } });
    expect(job.text).toBe('Adding.');
    expect((await dev.client.steps(id)).items[0]?.calls).toMatchObject([
      { name: 'calculate', output: '{"expression":"1 + 1","value":2}' },
    ]);
    expect(scripted.calls()).toHaveLength(2);
  });

  it('per-step log lines: one for each step, with its figures and none of its words', async () => {
    const job = await ask('What is 77123 * 2?');
    const { items } = await dev.client.steps(job.id);
    const lines = await stepLines(job.id, 2);
    // Zeros are left out; how long each part took differs from run to run.
    const withoutZeros = (fields: object) =>
      Object.fromEntries(
        Object.entries(fields).filter(([name, value]) => value !== 0 && !name.endsWith('Ms')),
      );
    expect(lines.map(({ level, fields }) => [level, withoutZeros(fields)])).toEqual(
      items.map(({ step, model }, at) => [
        'info',
        withoutZeros({
          ...{ jobId: job.id, agent: 'react', step, model: react.model, stopReason: model.stopReason },
          ...(at === 0 ? { status: 'queued' } : { status: 'succeeded', stop: 'completed', calls: 1 }),
          ...{ input: model.usage.inputTokens, output: model.usage.outputTokens, costUsd: model.costUsd },
          ...{ cacheWrite: model.usage.cacheWriteTokens, cacheRead: model.usage.cacheReadTokens },
        }),
      ]),
    );
    expect(items).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain('77123');
  });
});

describe('history trimming', () => {
  const note = (at: number) => says('', ['save_note', { key: `n${at}`, value: `${at}`.repeat(4_000) }]);
  const turns = [...Array.from({ length: 9 }, (_, at) => note(at)), says('All noted.')];
  type Body = { readonly system: unknown; readonly messages: readonly Message[] };
  const bodiesOf = (scripted: { readonly bodies: () => readonly string[] }): readonly Body[] =>
    scripted.bodies().map((body) => JSON.parse(body) as Body);

  it('keeps the system prompt, the task and the newest rounds, drops the oldest whole rounds, and says so in the trace', async () => {
    const scripted = dev.script('trimmed', turns);
    const job = await ask('trimmed');
    expect(job).toMatchObject({ status: 'succeeded', steps: 10, text: 'All noted.' });
    const bodies = bodiesOf(scripted);
    const all = (await dev.client.messages(job.id)).items;
    expect(all).toHaveLength(20);
    const { items } = await dev.client.steps(job.id);
    const dropped = items.map((step) => step.droppedMessages ?? 0);
    expect(dropped.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(Math.max(...dropped)).toBeGreaterThan(4);
    for (const [at, { system, messages }] of bodies.entries()) {
      expect(system).toEqual(bodies[0]?.system);
      const [task, ...rounds] = all.slice(0, 2 * at + 1);
      expect(unmarked(messages)).toEqual(unmarked([task, ...rounds.slice(dropped[at])]));
      expect(JSON.stringify(messages).length / 3).toBeLessThan(8_000 + 1_500);
    }
    for (const count of dropped) expect(count % 2).toBe(0);
    expect(scripted.calls().flatMap(({ problem }) => problem ?? [])).toEqual([]);
    const logged = await stepLines(job.id, 10);
    expect(logged.map(({ fields }) => fields['dropped'] ?? 0)).toEqual(dropped);
  });

  it('is off by default', async () => {
    expect(agents.filter(({ context }) => context !== undefined)).toEqual([react]);
    const scripted = dev.script('whole', turns);
    const job = await ask('whole', {}, 'dearer');
    expect(bodiesOf(scripted).at(-1)?.messages).toHaveLength(19);
    const { items } = await dev.client.steps(job.id);
    expect(items.every((step) => !('droppedMessages' in step))).toBe(true);
  });

  it.each([
    'claude-fable-5-2',
    'claude-fable-5-1',
    'claude-mythos-5-1',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
  ])('is refused for a model whose thinking is bound to the history: %s', (model) => {
    const why = `agent bound: context trimming breaks the preserved thinking of ${model}`;
    expect(() => copyOf('bound', model, { maxTokens: 8_000 })).toThrow(why);
    expect(copyOf('bound', model).context).toBeUndefined();
  });

  it('is allowed for such a model with the API’s drop mode, which every request then asks for', async () => {
    const scripted = dev.script('bound', turns);
    const job = await ask('bound', {}, 'dropping');
    expect(job).toMatchObject({ status: 'succeeded', steps: 10, text: 'All noted.' });
    const { items } = await dev.client.steps(job.id);
    expect(Math.max(...items.map((step) => step.droppedMessages ?? 0))).toBeGreaterThan(4);
    expect(scripted.calls().flatMap(({ problem }) => problem ?? [])).toEqual([]);
    for (const body of scripted.bodies()) {
      expect(JSON.parse(body)).toMatchObject({
        thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
      });
    }
  });
});

/** Messages without the marks of the prompt cache, which move on with the history. */
function unmarked(messages: readonly unknown[]): unknown {
  const json = JSON.stringify(messages, (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
  return JSON.parse(json) as unknown;
}
