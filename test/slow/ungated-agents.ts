import { defineAgent, defineTool } from 'treadle';
import * as z from 'zod';
import { triage, triageOutput } from '../../src/agents/triage.ts';
import { makeRefund, refundByKey } from '../../src/tools/refunds.ts';

/** The shop's refund without its gate, and slow enough that a kill can fall between effect and journal. */
const issueRefund = defineTool({
  name: 'issue_refund',
  description: 'Refunds an order',
  input: z.object({ orderId: z.string(), amountCents: z.int(), reason: z.string().optional() }),
  policy: 'once',
  run: async ({ orderId, amountCents }, { idempotencyKey }) => {
    makeRefund({ key: idempotencyKey, orderId, amountCents });
    await new Promise((resolve) => setTimeout(resolve, 30));
    return { refunded: amountCents };
  },
  check: (_, { idempotencyKey }) => {
    const refund = refundByKey(idempotencyKey);
    return refund === undefined ? { done: false } : { done: true, result: { refunded: refund.amountCents } };
  },
});

/** The triage agent with refunds that nobody has to approve: for tests that kill it while they take effect. */
export const agents = [
  defineAgent({
    name: 'triage',
    model: triage.model,
    system: triage.system,
    tools: [...[...triage.tools.values()].filter((tool) => tool.name !== 'issue_refund'), issueRefund],
    output: triageOutput,
    limits: triage.limits,
    maxOutputTokens: triage.maxOutputTokens,
  }),
];
