import { expect, it } from 'vitest';
import { runUntilIdle } from '../support/drive.ts';
import {
  answerReply,
  hiddenTicket,
  leaks,
  lookupReply,
  modelBySteps,
  privateAgent,
  refundReply,
  type Seen,
  secret,
  ticket,
} from '../support/private-job.ts';
import { memoryWorld } from '../support/world.ts';
import { senders } from './senders.ts';

it.each(senders)(
  'a job that redacts shows its originals to people and not in its messages, %s',
  async (_, open) => {
    const seen: Seen = [];
    const { model, asked } = modelBySteps([lookupReply, refundReply, answerReply]);
    const world = memoryWorld({ agents: [privateAgent(seen)], model });
    const send = await open(world);
    const created = await send({ method: 'POST', path: '/jobs', body: { agent: 'private', input: ticket } });
    expect(created.json).toMatchObject({ input: ticket });
    const path = `/jobs/${created.json['id']}`;
    await runUntilIdle(world);

    const list = (await send({ path: '/approvals' })).json['items'] as readonly Readonly<
      Record<string, unknown>
    >[];
    const [approval] = list;
    expect(approval).toMatchObject({ tool: 'refund', input: { card: secret.card, iban: secret.iban } });
    const decision = { decision: 'approve', inputHash: approval?.['inputHash'] };
    const decided = await send({
      method: 'POST',
      path: `${path}/approvals/${approval?.['callId']}`,
      body: decision,
    });
    expect(decided.status).toBe(200);
    await runUntilIdle(world);

    expect((await send({ path })).json).toMatchObject({
      status: 'succeeded',
      input: ticket,
      output: { email: secret.customer, note: `Refunded to ${secret.card} by ${secret.clerk}.` },
      approvals: [{ status: 'approved', input: { card: secret.card } }],
    });
    const messages = await send({ path: `${path}/messages` });
    expect(messages.text).toContain(hiddenTicket);
    expect(leaks(messages.text)).toEqual([]);
    expect(leaks((await send({ path: `${path}/steps` })).text)).toEqual([]);
    expect(leaks(JSON.stringify(asked.map((request) => request.messages)))).toEqual([]);
    expect(seen.at(-1)?.input).toEqual({ card: secret.card, iban: secret.iban });
  },
);
