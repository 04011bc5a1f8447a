import { afterAll, beforeAll, expect, it } from 'vitest';
import { readScript } from '../../src/adapters/scripted-model/script.ts';
import { modelScriptOf } from '../../src/console/model/model-script.ts';
import { type DevStack, reply, says, startDev } from '../support/dev-stack.ts';
import { aCall, aStep } from './a-step.ts';

let dev: DevStack;
beforeAll(async () => {
  dev = await startDev();
});
afterAll(() => dev?.close());

const asScript = (value: unknown) => readScript(JSON.stringify(value));
/** What a trace says apart from ids, times and what the queue did. */
const told = async (id: string) =>
  (await dev.client.steps(id)).items.map(({ step, text, calls, model }) => ({
    ...{ step, text, cost: model.costUsd, stop: model.stopReason },
    calls: calls.map(({ name, input, output, isError }) => ({ name, input, output, isError })),
  }));

it('plays a run again exactly as it was: calls, results, cost and end', async () => {
  const first = await dev.run({ agent: 'orders', input: 'How is customer 7, and order 42?' });
  const [steps, messages] = await Promise.all([dev.client.steps(first.id), dev.client.messages(first.id)]);
  const model = 'claude-haiku-5-5';
  const script = asScript(modelScriptOf(first, model, steps.items, messages.items));
  const replies = messages.items.filter(({ role }) => role === 'assistant').map(({ content }) => content);
  expect(script.turns.map(({ body }) => typeof body === 'object' && body['content'])).toEqual(replies);
  dev.script('Again, please', script.turns);
  const again = await dev.run({ agent: 'orders', input: 'Again, please' });
  expect(steps.items.length).toBeGreaterThan(1);
  expect(await told(again.id)).toEqual(await told(first.id));
  expect([again.status, again.text, again.cost.spentUsd]).toEqual([
    first.status,
    first.text,
    first.cost.spentUsd,
  ]);
});

it('gives a reply that was cut again from the trace, in its place', async () => {
  const cut = reply([{ type: 'text', text: 'It is goi' }], 'max_tokens');
  dev.script('Cut me', [cut, says('It is going.')]);
  const job = await dev.run({ agent: 'orders', input: 'Cut me' });
  const [steps, messages] = await Promise.all([dev.client.steps(job.id), dev.client.messages(job.id)]);
  const { turns } = asScript(modelScriptOf(job, 'scripted-1', steps.items, messages.items));
  expect(turns.map(({ body }) => (typeof body === 'string' ? body : body['stop_reason']))).toEqual([
    'max_tokens',
    'end_turn',
  ]);
});

it('takes a reply as the transcript has it, with its ids and what was thought, and makes none again', () => {
  const exact = [
    { type: 'thinking', thinking: 'Seven, then.', signature: 'sig' },
    { type: 'text', text: 'Look' },
    { type: 'tool_use', id: 'toolu_of_theirs', name: 'get_order', input: { id: '<hidden>' } },
  ];
  const step = aStep(1, { text: 'Look', calls: [aCall('get_order', { id: 7 })] });
  const said = [
    { role: 'user' as const, content: [] },
    { role: 'assistant' as const, content: exact },
  ];
  const { turns } = modelScriptOf({ id: 'job_1', agent: 'a' }, 'm', [step], said);
  expect(turns.map(({ body }) => body['content'])).toEqual([exact]);
});

it('makes calls again that the transcript does not have', () => {
  const step = aStep(1, { text: 'Look', calls: [aCall('get_order', { id: 7 })] });
  const { turns } = modelScriptOf({ id: 'job_1', agent: 'a' }, 'm', [step], []);
  expect(turns[0]?.body['content']).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'tool_use', id: 'toolu_1_0', name: 'get_order', input: { id: 7 } },
  ]);
});
