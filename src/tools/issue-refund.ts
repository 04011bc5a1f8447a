import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { paidBack, payBack } from './refunds.ts';

/** Pays an order back, after a person approved it. */
export const issueRefund = defineTool({
  name: 'issue_refund',
  description:
    'Pay money back for an order. A person decides on every call before anything happens. Use it only when the customer asks for the money of an order that exists, and never for more than the order cost.',
  input: z.object({
    orderId: z.string().describe('The order id, for example ORD-1001'),
    amountCents: z.int().min(1).describe('Whole cents, at most the amount of the order'),
    reason: z.string().optional().describe('One sentence for the person who decides'),
  }),
  policy: 'once',
  approval: true,
  run: ({ orderId, amountCents }, { idempotencyKey }) => payBack(idempotencyKey, orderId, amountCents),
  check: (_input, { idempotencyKey }) => paidBack(idempotencyKey),
});
