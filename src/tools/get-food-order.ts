import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { findOrder } from './shop-data.ts';

/** Looks an order up for the agent `refunds`, its amount in euros. */
export const getOrder = defineTool({
  name: 'getOrder',
  description:
    'Look up an order by its id, for example ORD-1042. Gives its status, items, day and amount in euros.',
  input: z.object({ orderId: z.string().describe('The order id as the customer wrote it') }),
  policy: 'pure',
  run: ({ orderId }) => {
    const { amountCents, ...order } = findOrder(orderId);
    return { ...order, amount: amountCents / 100 };
  },
});
