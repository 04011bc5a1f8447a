import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClaude } from '../../src/adapters/claude.ts';
import { createScriptedModel } from '../../src/adapters/scripted-model/model.ts';
import { scriptedFetch } from '../../src/adapters/scripted-model/scripted-fetch.ts';
import { refunds } from '../../src/agents/refunds.ts';
import { createApi } from '../../src/api/app.ts';
import { apiFiles } from '../../src/api-files.ts';
import { createClient, type Job } from '../../src/client.ts';
import { type Agent, defineAgent, defineTool } from '../../src/core/agent.ts';
import { identifyLocally } from '../../src/local/api-server.ts';
import { exampleBrain } from '../../src/local/brains/index.ts';
import { issueRefund } from '../../src/tools/refund-food-order.ts';
import { listRefunds } from '../../src/tools/refunds.ts';
import { type DevStack, observations, reply, says, startDev } from '../support/dev-stack.ts';
import { runFor, runUntilIdle } from '../support/drive.ts';
import { memoryWorld } from '../support/world.ts';

const THAI = 'ออเดอร์ ORD-1042 ส่งช้ามาก ขอเช็คสถานะแล้วคืนเงินให้ด้วย';
const refund = { orderId: 'ORD-1042', amount: 48 };

const folder = mkdtempSync(join(tmpdir(), 'treadle-refunds-'));
let dev: DevStack;
beforeAll(async () => {
  vi.stubEnv('TREADLE_REFUNDS_FILE', join(folder, 'refunds.jsonl'));
  dev = await startDev([refunds]);
});
afterAll(async () => {
  await dev.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const ask = (input: string, limits?: object) =>
  dev.run({ agent: 'refunds', input, ...(limits === undefined ? {} : { limits }) });

/** The refunds that this job made: their keys begin with its id. */
const refundsOf = ({ id }: Job) => listRefunds().filter(({ key }) => key.startsWith(`${id}.`));

async function decide(job: Job, decision: 'approve' | 'deny', reason?: string): Promise<Job> {
  const { callId = '' } = job.approvals[0] ?? {};
  await dev.client.decide(job.id, callId, { decision, ...(reason === undefined ? {} : { reason }) });
  return dev.rest(job.id);
}

describe('the Thai customer of the refunds agent', () => {
  it('getOrder → getDeliveryStatus → issueRefund: the job waits as awaiting_approval, no message in flight, no model call', async () => {
    const before = (await dev.calls()).length;
    const job = await ask(THAI);
    expect(job).toMatchObject({
      ...{ status: 'awaiting_approval', steps: 3, stop: null, input: THAI },
      approvals: [{ tool: 'issueRefund', input: refund, status: 'pending' }],
    });
    const seen = await observations(dev, job.id);
    expect(seen.map(({ name }) => name)).toEqual(['getOrder', 'getDeliveryStatus', 'issueRefund']);
    expect(await dev.queued()).toBe(0);
    expect(await dev.calls()).toHaveLength(before + 3);
    expect(refundsOf(job)).toEqual([]);
    // A reconciler that looks at what waits finds nothing to send and nothing to ask.
    await dev.reconcile();
    expect(await dev.queued()).toBe(0);
    expect(await dev.calls()).toHaveLength(before + 3);
  });

  it('approved → exactly one refund → final answer', async () => {
    const before = (await dev.calls()).length;
    const waiting = await ask(THAI);
    const job = await decide(waiting, 'approve');
    expect(job).toMatchObject({ status: 'succeeded', steps: 4, stop: { reason: 'completed' } });
    expect(job.text).toBe('ออเดอร์ ORD-1042 ส่งช้า เราคืนเงิน 48 ยูโรแล้วค่ะ');
    expect(refundsOf(job)).toMatchObject([{ orderId: 'ORD-1042', amountCents: 4_800 }]);
    await decide(waiting, 'approve');
    await dev.reconcile();
    expect(refundsOf(job)).toHaveLength(1);
    expect(await dev.calls()).toHaveLength(before + 4);
  });

  it('denied → an is_error result that says a person declined → the model answers', async () => {
    const job = await decide(await ask(THAI), 'deny', 'The parcel was found.');
    expect(job).toMatchObject({ status: 'succeeded', steps: 4 });
    expect(job.text).toBe('ยังคืนเงินออเดอร์นี้ไม่ได้ค่ะ เจ้าหน้าที่จะติดต่อกลับ');
    const output = 'A person declined this call; it was not run. The reason given: The parcel was found.';
    expect((await observations(dev, job.id)).at(-1)).toEqual({ name: 'issueRefund', output, isError: true });
    const { items } = await dev.client.messages(job.id);
    expect(items.at(-2)?.content).toEqual([
      { type: 'tool_result', tool_use_id: expect.any(String), content: output, is_error: true },
    ]);
    expect(refundsOf(job)).toEqual([]);
  });
});

describe('a refund that nobody decides on in time', () => {
  /** The agent with its gate set otherwise, on a clock that can be moved, through the same API. */
  function world(agent: Agent) {
    const scripted = createScriptedModel({ brain: exampleBrain });
    const model = createClaude({ apiKey: 'x', baseURL: 'http://scripted', fetch: scriptedFetch(scripted) });
    const made = memoryWorld({ agents: [agent], model });
    const api = createApi({ world: made, identify: identifyLocally, files: apiFiles });
    const send: typeof fetch = async (input, init) => api.fetch(new Request(input, init));
    return { world: made, client: createClient({ endpoint: 'http://localhost', fetch: send }) };
  }
  const gatedBy = (onExpiry: 'deny' | 'stop'): Agent =>
    defineAgent({
      ...{ name: 'refunds', model: refunds.model, system: refunds.system },
      tools: [
        ...[...refunds.tools.values()].filter(({ name }) => name !== 'issueRefund'),
        defineTool({
          ...{ name: issueRefund.name, description: issueRefund.description, input: issueRefund.schema },
          approval: { expiresInSeconds: 600, onExpiry },
          run: issueRefund.run,
        }),
      ],
    });

  it.each([
    ['by default, after 72 hours, as denied', refunds, 72 * 60, 'succeeded', 'completed'],
    ['with onExpiry deny, as denied', gatedBy('deny'), 10, 'succeeded', 'completed'],
    ['with onExpiry stop, as stopped', gatedBy('stop'), 10, 'stopped', 'approval_expired'],
  ])('ends by the tool’s setting: %s', async (_, agent, minutes, status, reason) => {
    const { world: made, client } = world(agent);
    const { id } = await client.submit({ agent: 'refunds', input: THAI });
    await runUntilIdle(made);
    expect(await client.job(id)).toMatchObject({ status: 'awaiting_approval' });
    await made.clock.advance((minutes - 2) * 60_000);
    await runFor(made, 1);
    expect(await client.job(id)).toMatchObject({ status: 'awaiting_approval' });
    await runFor(made, 3);
    const job = await client.job(id);
    expect(job).toMatchObject({ status, stop: { reason }, approvals: [{ status: 'expired' }] });
    const steps = await client.steps(id);
    const [call] = steps.items.at(2)?.calls ?? [];
    if (status === 'succeeded') {
      expect(call).toMatchObject({ isError: true, output: expect.stringContaining('Nobody approved') });
      expect(job.text).toBe('ยังคืนเงินออเดอร์นี้ไม่ได้ค่ะ เจ้าหน้าที่จะติดต่อกลับ');
    }
    expect(refundsOf(job)).toEqual([]);
  });
});

describe('the four exits of the refunds agent, each of which the job names', () => {
  it('final answer', async () => {
    const job = await ask('Where is my order ORD-1001?');
    expect(job).toMatchObject({ status: 'succeeded', stop: { reason: 'completed' }, steps: 3 });
    expect(job.text).toBe('Order ORD-1001: in transit.');
  });

  it('step ceiling (8)', async () => {
    dev.script('steps', [says('', ['getDeliveryStatus', { orderId: 'ORD-1042' }])], true);
    const job = await ask('steps');
    expect(job).toMatchObject({ status: 'stopped', stop: { reason: 'max_steps' }, steps: 8 });
    expect(job.stop?.message).toContain('8 steps used');
  });

  it('waiting for approval', async () => {
    const job = await ask('Order ORD-1006 is lost, please refund it.');
    expect(job).toMatchObject({ status: 'awaiting_approval', stop: null, finishedAt: null });
    const { items } = await dev.client.approvals();
    expect(items).toContainEqual(expect.objectContaining({ jobId: job.id, tool: 'issueRefund' }));
  });

  it('cost ceiling', async () => {
    const look = { type: 'tool_use', id: 'toolu_0', name: 'getOrder', input: { orderId: 'ORD-1042' } };
    const dear = reply([look], 'tool_use', { input_tokens: 1_500, output_tokens: 400 });
    const scripted = dev.script('cost', [dear], true);
    const job = await ask('cost', { maxCostUsd: 0.0012 });
    expect(job).toMatchObject({ status: 'stopped', stop: { reason: 'cost_ceiling', resumable: true } });
    expect(job.stop?.message).toMatch(/the next call costs up to \$0\.\d+, \$0\.\d+ is left/);
    expect(job.steps).toBeGreaterThan(0);
    expect(job.steps).toBeLessThan(8);
    expect(scripted.calls()).toHaveLength(job.steps);
    expect(job.cost.spentUsd).toBeLessThanOrEqual(0.0012);
  });
});

describe('what is no success', () => {
  it('max_tokens is a named stop, never success', async () => {
    const cut = reply([{ type: 'text', text: 'Your order is' }], 'max_tokens');
    dev.script('cut', [cut, cut]);
    expect(await ask('cut')).toMatchObject({
      status: 'stopped',
      stop: { reason: 'max_output_tokens' },
      steps: 2,
    });
  });

  it('refusal is a named stop, never success', async () => {
    dev.script('refusal', [reply([], 'refusal')]);
    expect(await ask('refusal')).toMatchObject({ status: 'stopped', stop: { reason: 'refusal' }, steps: 1 });
  });

  it('end_turn is', async () => {
    dev.script('end', [reply([{ type: 'text', text: 'Done.' }], 'end_turn')]);
    expect(await ask('end')).toMatchObject({ status: 'succeeded', text: 'Done.', steps: 1 });
  });
});

describe('the tool results of the refunds agent', () => {
  it('come in one message, each under its own id', async () => {
    const orderId = 'ORD-1042';
    dev.script('both', [
      says('', ['getOrder', { orderId }], ['getDeliveryStatus', { orderId }]),
      says('Late.'),
    ]);
    const job = await ask('both');
    const { items } = await dev.client.messages(job.id);
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    const [calls, results] = [items[1]?.content ?? [], items[2]?.content ?? []];
    const ids = calls.map((block) => block['id']);
    expect(new Set(ids).size).toBe(2);
    expect(results.map((block) => [block.type, block['tool_use_id']])).toEqual(
      ids.map((id) => ['tool_result', id]),
    );
    expect(results.map((block) => String(block['content']))).toEqual([
      expect.stringContaining('"items":"2 x bento box"'),
      expect.stringContaining('"state":"delayed"'),
    ]);
  });

  it('come first in the user message, before any words', async () => {
    const waiting = await ask(THAI);
    await dev.client.cancel(waiting.id);
    await dev.client.followUp(waiting.id, 'Where is my order ORD-1001?');
    const job = await dev.rest(waiting.id);
    expect(job).toMatchObject({ status: 'succeeded', text: 'Order ORD-1001: in transit.' });
    const { items } = await dev.client.messages(job.id);
    const mixed = items.filter(({ role, content }) => role === 'user' && content.length > 1);
    expect(mixed.map(({ content }) => content.map(({ type }) => type))).toEqual([['tool_result', 'text']]);
    expect(refundsOf(job)).toEqual([]);
  });
});
