import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { approvalsOf, inputHash, judge } from '../../src/app/approve.ts';
import { batchResults } from '../../src/app/batch-results.ts';
import { deleteJob } from '../../src/app/delete-job.ts';
import { followUp } from '../../src/app/follow-up.ts';
import { retry } from '../../src/app/retry.ts';
import { submit } from '../../src/app/submit.ts';
import { type JobView, viewJob, viewMessages, viewSteps } from '../../src/app/views.ts';
import { defineAgent, defineTool } from '../../src/core/agent.ts';
import { freeze } from '../../src/core/frozen-agent.ts';
import { utf8Bytes } from '../../src/core/safe-json.ts';
import type { ModelOutcome, ModelRequest } from '../../src/ports.ts';
import { rowsOf, startBatch } from '../support/a-batch.ts';
import { deliver, runFor, runUntilIdle, VISIBILITY_MS } from '../support/drive.ts';
import { dieEverywhere } from '../support/dying.ts';
import { restingBatch } from '../support/example-run.ts';
import { callsModel, reply, textReply, toolReply } from '../support/fake-model.ts';
import {
  answerReply,
  hiddenTicket,
  jobIdOf,
  leaks,
  lookupReply,
  modelBySteps,
  type PrivateOptions,
  privateAgent,
  refundReply,
  type Seen,
  secret,
  storedText,
  ticket,
} from '../support/private-job.ts';
import { memoryWorld, type TestWorld } from '../support/world.ts';

const tenant = 'default';

interface Opened {
  readonly world: TestWorld;
  readonly seen: Seen;
  readonly asked: readonly ModelRequest[];
  readonly jobId: string;
  readonly view: () => Promise<JobView>;
}

async function opened(
  replies: readonly ModelOutcome[],
  options: PrivateOptions & { readonly input?: string } = {},
): Promise<Opened> {
  const seen: Seen = [];
  const { model, asked } = modelBySteps(replies);
  const world = memoryWorld({ agents: [privateAgent(seen, options)], model });
  const jobId = jobIdOf(
    await submit(world, { tenant, agent: 'private', input: options.input ?? ticket, key: 'k' }),
  );
  return { world, seen, asked, jobId, view: () => viewed(world, jobId) };
}

async function viewed(world: TestWorld, jobId: string): Promise<JobView> {
  const job = await viewJob(world, tenant, jobId);
  if (job === undefined) throw new Error('there is no such job');
  return job;
}

/** Approves whatever waits and goes on until nothing does. */
async function toTheEnd({ world, jobId }: Pick<Opened, 'world' | 'jobId'>): Promise<JobView> {
  for (let round = 0; round < 5; round += 1) {
    await runUntilIdle(world, { each: () => world.restarted() });
    const job = await world.store.loadJob(jobId);
    if (job?.status.type !== 'awaiting_approval') break;
    for (const { callId, inputHash: hash } of await approvalsOf(world, job))
      await judge(world, { tenant, jobId, callId, decision: 'approve', inputHash: hash });
  }
  return viewed(world, jobId);
}

const whole = [lookupReply, refundReply, answerReply];
const sent = (asked: readonly ModelRequest[]): string =>
  JSON.stringify(asked.map(({ messages }) => messages));

/** Every request is, byte for byte, a beginning of what the job's transcript is in the end. */
async function expectPrefixes({
  world,
  asked,
  jobId,
}: Pick<Opened, 'world' | 'asked' | 'jobId'>): Promise<void> {
  const messages = (await viewMessages(world, tenant, jobId)) ?? [];
  for (const request of asked) {
    expect(JSON.stringify(request.messages)).toBe(JSON.stringify(messages.slice(0, request.messages.length)));
  }
}

describe('a job whose agent redacts', () => {
  it('sends the model placeholders, and gives tools, people and results the originals', async () => {
    const open = await opened(whole);
    const job = await toTheEnd(open);
    expect(leaks(sent(open.asked))).toEqual([]);
    expect(open.asked).toHaveLength(3);
    expect(open.asked[0]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: hiddenTicket }] },
    ]);
    expect(open.asked[1]?.messages.at(-1)?.content).toMatchObject([
      { type: 'tool_result', content: '{"owner":"[email 1]","iban":"[iban 1]"}' },
    ]);
    expect(open.asked[2]?.messages.at(-1)?.content).toMatchObject([
      { type: 'tool_result', content: 'Refunded to [card 1] by [email 2]' },
    ]);
    expect(open.seen.map(({ tool, input }) => [tool, input])).toEqual([
      ['lookup', { email: secret.customer }],
      ['refund', { card: secret.card, iban: secret.iban }],
    ]);
    expect(job).toMatchObject({
      status: 'succeeded',
      input: ticket,
      output: { email: secret.customer, note: `Refunded to ${secret.card} by ${secret.clerk}.` },
      needsReview: false,
    });
    await expectPrefixes(open);
  });

  it('shows the original to who decides, and binds the decision to the call as the model made it', async () => {
    const open = await opened(whole);
    await runUntilIdle(open.world);
    const [approval] = (await open.view()).approvals;
    expect(approval).toMatchObject({ tool: 'refund', status: 'pending', input: { card: secret.card } });
    const asMade = inputHash(open.world, { card: '[card 1]', iban: '[iban 1]' });
    expect(approval?.['inputHash']).toBe(asMade);
    const verdict = {
      tenant,
      jobId: open.jobId,
      callId: String(approval?.['callId']),
      decision: 'approve',
    } as const;
    expect(await judge(open.world, { ...verdict, inputHash: 'other' })).toMatchObject({ type: 'conflict' });
    expect(await judge(open.world, { ...verdict, inputHash: asMade })).toMatchObject({ type: 'decided' });
    expect((await toTheEnd(open)).approvals).toMatchObject([
      { status: 'approved', input: { card: secret.card } },
    ]);
  });

  it('does not ask a person for what the rule lets through, which reads the original', async () => {
    const other = ticket.replace(secret.card, '5555 5555 5555 4444');
    const open = await opened(whole, { input: other });
    await runUntilIdle(open.world);
    expect(await open.view()).toMatchObject({ status: 'succeeded', approvals: [] });
  });

  it('shows in messages and steps what the model was sent', async () => {
    const open = await opened(whole);
    await toTheEnd(open);
    expect(leaks(JSON.stringify(await viewMessages(open.world, tenant, open.jobId)))).toEqual([]);
    expect(leaks(JSON.stringify(await viewSteps(open.world, tenant, open.jobId)))).toEqual([]);
  });

  it('hides what an error quotes, also a key that only its name told', async () => {
    const calls = toolReply(['fail', { words: '[card 1] and [key 1]' }], ['nothing', { a: 1 }]);
    const open = await opened([calls, answerReply], { input: `api_key=abc12345 card ${secret.card}` });
    await runUntilIdle(open.world);
    expect(open.asked[0]?.messages[0]?.content).toMatchObject([{ text: 'api_key=[key 1] card [card 1]' }]);
    expect(open.asked[1]?.messages.at(-1)?.content[0]).toMatchObject({
      content: 'Error: cannot take [card 1] and [key 1]',
      is_error: true,
    });
  });

  it('takes no words of a ticket for a placeholder of its own', async () => {
    const input = `[card 1] [~card 1] [card 9] ${secret.card} [~~email 3]`;
    const last = toolReply([
      'return_answer',
      { email: secret.clerk, note: '[~card 1] [card 1] [card 9] [~~card 1]' },
    ]);
    const open = await opened([last], { input });
    const job = await toTheEnd(open);
    expect(open.asked[0]?.messages[0]?.content).toMatchObject([
      { text: '[~card 1] [~~card 1] [~card 9] [card 1] [~~~email 3]' },
    ]);
    expect(job.input).toBe(input);
    expect(job.output).toEqual({ email: secret.clerk, note: `[card 1] ${secret.card} [card 9] [~card 1]` });
  });

  it('gives back a last text with the originals', async () => {
    const open = await opened([textReply('I wrote to [email 1].')], { maxSteps: 1 });
    expect(await toTheEnd(open)).toMatchObject({ text: `I wrote to ${secret.customer}.` });
  });

  it('gives the originals back in the results of a batch', async () => {
    const { model, asked } = modelBySteps([lookupReply, answerReply]);
    const world = memoryWorld({ agents: [privateAgent([])], model });
    const rows = rowsOf(2).map((row) => ({ ...row, input: ticket }));
    const { id } = await startBatch(world, { agent: 'private', rows });
    await restingBatch(world, id);
    const page = await batchResults(world, tenant, id, { limit: 10 });
    expect(page?.results.map(({ output }) => output)).toMatchObject([
      { email: secret.customer },
      { email: secret.customer },
    ]);
    expect(leaks(sent(asked))).toEqual([]);
  });

  it('goes on hiding when a deployment takes it from the agent', async () => {
    const open = await opened(whole);
    const [message] = open.world.queue.receive(1, VISIBILITY_MS);
    if (message === undefined) throw new Error('no message');
    await deliver(open.world, message);
    const changed = {
      ...open.world.restarted(),
      agents: new Map([['private', privateAgent(open.seen, { redact: [] })]]),
    };
    await runUntilIdle(open.world, { each: () => changed });
    expect(leaks(sent(open.asked))).toEqual([]);
    expect((await open.view()).approvals).toMatchObject([{ input: { iban: secret.iban } }]);
  });

  it('counts on where a follow-up begins, and names the same the same', async () => {
    const last = toolReply(['return_answer', { email: '[email 3]', note: 'to [email 1]' }]);
    const open = await opened([...whole, last]);
    await toTheEnd(open);
    const content = `Not ${secret.customer} but new@example.test, [email 9], card ${secret.card}`;
    const wanted = { tenant, jobId: open.jobId, content, key: 'f' };
    await followUp(open.world, wanted);
    expect(await followUp(open.world, wanted)).toMatchObject({ type: 'same' });
    expect(await toTheEnd(open)).toMatchObject({
      status: 'succeeded',
      input: ticket,
      output: { email: 'new@example.test', note: `to ${secret.customer}` },
    });
    // The answer before it is read with the originals too: it was a good one.
    expect(open.asked.at(-1)?.messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'toolu_2_0', content: 'accepted' },
      { type: 'text', text: 'Not [email 1] but [email 3], [~email 9], card [card 1]' },
    ]);
    await expectPrefixes(open);
  });

  it('reads a reply before the step that a retry goes back to with its originals', async () => {
    const open = await opened([answerReply, toolReply(['fail', { words: 'x' }])], { maxSteps: 2 });
    await runUntilIdle(open.world);
    await followUp(open.world, { tenant, jobId: open.jobId, content: 'go on' });
    expect(await toTheEnd(open)).toMatchObject({ status: 'stopped' });
    expect(await retry(open.world, { tenant, jobId: open.jobId, fromStep: 2 })).toMatchObject({
      type: 'retried',
      job: { lastReply: 'ok', count: 3 },
    });
  });

  it('counts anew from the step that a retry goes back to', async () => {
    const open = await opened([lookupReply, toolReply(['fail', { words: 'to late@example.test' }])], {
      maxSteps: 2,
    });
    await runUntilIdle(open.world);
    expect(await open.view()).toMatchObject({ status: 'stopped' });
    const result = await retry(open.world, { tenant, jobId: open.jobId, fromStep: 2 });
    expect(result.type).toBe('retried');
    await runUntilIdle(open.world, { each: () => open.world.restarted() });
    expect(leaks(sent(open.asked))).toEqual([]);
    expect(open.asked.at(-1)?.messages).toEqual(open.asked[1]?.messages);
  });

  it('leaves nothing behind when it is deleted', async () => {
    const open = await opened(whole);
    await toTheEnd(open);
    expect(leaks(storedText(open.world)).length).toBeGreaterThan(3);
    await deleteJob(open.world, tenant, open.jobId);
    await open.world.clock.advance(3_600_000);
    expect(leaks(storedText(open.world))).toEqual([]);
  });

  it('says nothing of it in messages of the queue and log lines', async () => {
    const open = await opened(whole);
    const bodies: string[] = [];
    const each = (): TestWorld => {
      bodies.push(JSON.stringify(open.world.queue.messages()));
      return open.world;
    };
    await runUntilIdle(open.world, { each });
    expect(bodies.length).toBeGreaterThan(1);
    expect(leaks(bodies.join() + JSON.stringify(open.world.lines))).toEqual([]);
  });

  it('keeps more addresses than one stored record holds', async () => {
    const input = Array.from({ length: 12_000 }, (_, n) => `kim${n}@example.test`).join(' ');
    const open = await opened([answerReply], { input });
    const job = await toTheEnd(open);
    expect(job.input).toBe(input);
    expect(job.output).toMatchObject({ email: 'kim0@example.test' });
    // DynamoDB takes 400 KB.
    for (const item of open.world.table.all())
      expect(utf8Bytes(JSON.stringify(item)), String(item['sk'])).toBeLessThan(400_000);
  });
});

describe('a job whose agent does not redact', () => {
  it('stores no field more and is frozen to the same text', async () => {
    const open = await opened(whole, { redact: [] });
    expect(await toTheEnd(open)).toMatchObject({ status: 'failed' });
    const fields = new Set(open.world.table.all().flatMap((item) => Object.keys(item)));
    for (const name of ['hidden', 'plain', 'redact']) expect(fields).not.toContain(name);
    expect(JSON.stringify(open.asked)).toContain(secret.card);
    expect(freeze(privateAgent([], { redact: [] }))).not.toContain('redact');
    expect(freeze(privateAgent([], { redact: ['email', 'card', 'card'] }))).toContain(
      '"redact":["card","email"]',
    );
  });

  it('leaves text that looks like a placeholder as it is', async () => {
    const open = await opened([textReply('[~card 1]')], {
      redact: [],
      input: '[card 1] [~card 1]',
      maxSteps: 1,
    });
    expect(await toTheEnd(open)).toMatchObject({ input: '[card 1] [~card 1]', text: '[~card 1]' });
  });
});

describe('results of tools', () => {
  /** A job whose only call gives `value`; what the model then reads of it. */
  async function read(value: unknown, maxResultBytes = 400): Promise<{ text: string; given: unknown[] }> {
    const given: unknown[] = [];
    const show = defineTool({
      name: 'show',
      description: 'Shows',
      input: z.object({}),
      maxResultBytes,
      run: () => value,
    });
    const take = defineTool({
      name: 'take',
      description: 'Takes',
      input: z.object({ key: z.string() }),
      run: ({ key }) => given.push(key),
    });
    const agent = defineAgent({
      ...{ name: 'private', model: 'claude-sonnet-5', system: 'Help.', tools: [show, take] },
      redact: ['card', 'email', 'key'],
    });
    const { model, asked } = callsModel([
      toolReply(['show', {}]),
      reply([{ type: 'tool_use', id: 'second', name: 'take', input: { key: '[key 1]' } }], 'tool_use'),
      textReply('Done.'),
    ]);
    const world = memoryWorld({ agents: [agent], model });
    await submit(world, { tenant, agent: 'private', input: 'Go.' });
    await runUntilIdle(world);
    return { text: String(asked[1]?.messages.at(-1)?.content[0]?.['content']), given };
  }

  it.each(Array.from({ length: 25 }, (_, at) => at * 3 + 310))(
    'show no half of a card that a cut went through, at %i',
    async (before) => {
      const { text } = await read(`${'x'.repeat(before)} ${secret.card} kim@example.test ${'y'.repeat(500)}`);
      expect(text).not.toContain('4111');
      expect(text).not.toContain('kim@');
      expect(text).toMatch(/\n\[cut: \d+ of \d+ bytes left out\]$/);
      expect(utf8Bytes(text)).toBeLessThanOrEqual(400);
    },
  );

  it('say how much is left out of them', async () => {
    const value = 'z'.repeat(1_000);
    const { text } = await read(value);
    const [, left] = /cut: (\d+) of 1000/.exec(text) ?? [];
    expect(1_000 - Number(left)).toBe(text.indexOf('\n'));
  });

  it('take no more room than was held for them, however long the placeholders are', async () => {
    const addresses = Array.from({ length: 900 }, (_, n) => `${n.toString(36)}@b.co`).join(' ');
    const { text } = await read(addresses, 10_000);
    expect(utf8Bytes(addresses)).toBeLessThan(10_000);
    expect(text).toContain('bytes left out');
    expect(utf8Bytes(text)).toBeLessThanOrEqual(10_000);
  });

  it('give a key of several lines back with its lines', async () => {
    const pem = '-----BEGIN PRIVATE KEY-----\nMIIBOgIBAAJBAKj34\n-----END PRIVATE KEY-----';
    const { text, given } = await read({ pem, n: 1 });
    expect(text).toBe('{"pem":"[key 1]","n":1}');
    expect(given).toEqual([pem]);
  });

  it('hide a card that is a number', async () => {
    expect((await read({ card: 4_111_111_111_111_111 })).text).toBe('{"card":[card 1]}');
  });

  it('show no half of a card at the end of a long error', async () => {
    const { text } = await read({
      toJSON: () => {
        throw new Error('x');
      },
    });
    expect(text).not.toBe('');
    const words = `${'x'.repeat(455)} ${secret.card} ${'y'.repeat(99)}`;
    const open = await opened([toolReply(['fail', { words }]), answerReply], { maxSteps: 2 });
    await runUntilIdle(open.world);
    expect(JSON.stringify(open.asked[1]?.messages.at(-1))).not.toContain('4111');
  });
});

it('comes through a crash at any write with one refund to the original and a transcript of one piece', {
  timeout: 120_000,
}, async () => {
  let open: Opened | undefined;
  const writes = await dieEverywhere(
    async () => {
      open = await opened(whole);
      return open.world;
    },
    async (world) => {
      for (let round = 0; round < 10; round += 1) {
        const job = await world.store.loadJob(open?.jobId ?? '');
        if (job?.status.type === 'awaiting_approval') {
          for (const { callId } of await approvalsOf(world, job))
            await judge(world, { tenant, jobId: job.id, callId, decision: 'approve' });
        }
        for (const message of world.queue.receive(1, VISIBILITY_MS)) await deliver(world, message);
      }
    },
    async (world, where) => {
      if (open === undefined) throw new Error('nothing was opened');
      await runFor(world, 15);
      const job = await world.store.loadJob(open.jobId);
      for (const { callId, status } of job === undefined ? [] : await approvalsOf(world, job))
        if (status === 'pending')
          await judge(world, { tenant, jobId: open.jobId, callId, decision: 'approve' });
      await runFor(world, 15);
      const view = await open.view();
      expect(view, where).toMatchObject({ status: 'succeeded', input: ticket });
      const refunds = open.seen.filter(({ tool }) => tool === 'refund');
      expect(leaks(sent(open.asked)), where).toEqual([]);
      const messages = await viewMessages(world, tenant, open.jobId);
      const unknown = JSON.stringify(messages).includes('outcome unknown');
      const once = { input: { card: secret.card, iban: secret.iban } };
      // A worker that died between the intent and the result has refunded, or has not: nobody does it again.
      expect(refunds, where).toMatchObject(unknown && refunds.length === 0 ? [] : [once]);
      const note = `Refunded to ${secret.card} by ${unknown ? '[email 2]' : secret.clerk}.`;
      expect(view.output, where).toEqual({ email: secret.customer, note });
      await expectPrefixes(open);
    },
  );
  expect(writes).toBeGreaterThan(10);
});

it.each([
  ['unknown', ['card', 'passport']],
  ['no list', 'card'],
])('an agent is refused whose kinds are %s', (_, redact) => {
  const agent = { name: 'a', model: 'claude-sonnet-5', system: 'x', tools: [], redact };
  expect(() => defineAgent(agent as never)).toThrowError(
    expect.objectContaining({ code: 'invalid_definition' }),
  );
});
