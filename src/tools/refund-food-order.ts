import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { paidBack, payBack } from './refunds.ts';

/** Pays an order back for the agent `refunds`, after a person approved it. */
export const issueRefund = defineTool({
  name: 'issueRefund',
  description:
    'Pay money back for an order. A person decides on every call before anything happens. Never more than the order cost.',
  input: z.object({
    orderId: z.string().describe('The order id, for example ORD-1042'),
    amount: z.number().min(0.01).max(100_000).describe('Euros, at most the amount of the order'),
    reason: z.string().optional().describe('One sentence for the person who decides'),
  }),
  policy: 'once',
  approval: true,
  run: ({ orderId, amount }, { idempotencyKey }) =>
    payBack(idempotencyKey, orderId, Math.round(amount * 100)),
  check: (_input, { idempotencyKey }) => paidBack(idempotencyKey),
});
