import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { countRows } from './orders-data.ts';

/** Counts the orders of a customer in the orders table. */
export const countOrders = defineTool({
  name: 'count_orders',
  description: 'Count the orders of a customer. A customer that is not known has none.',
  input: z.object({ customer_id: z.int().describe('The number of the customer, for example 675') }),
  policy: 'pure',
  run: ({ customer_id }) => ({ customer_id, orders: countRows(customer_id) }),
});
