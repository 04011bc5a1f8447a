import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { findOrder } from './shop-data.ts';

/** Looks an order of the demo shop up by its id. */
export const getOrder = defineTool({
  name: 'get_order',
  description:
    'Look up an order by its id, for example ORD-1001. Gives its status, items, date and amount in cents. An id that does not exist is an error.',
  input: z.object({ orderId: z.string().describe('The order id as the customer wrote it') }),
  policy: 'pure',
  run: ({ orderId }) => findOrder(orderId),
});
