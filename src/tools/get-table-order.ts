import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { findRow } from './orders-data.ts';

/** Looks a row of the orders table up. Sends what a question about an order needs, and not the whole row. */
export const getOrder = defineTool({
  name: 'get_order',
  description: 'Look up an order by its number. Gives its status, date, discount in percent and items.',
  input: z.object({ order_id: z.int().describe('The number of the order, for example 1') }),
  policy: 'pure',
  maxResultBytes: 2_000,
  run: ({ order_id }) => {
    const row = findRow(order_id);
    if (row === undefined) throw new Error(`order not found: ${order_id}`);
    const { status, orderDate, discountPct, items } = row;
    return { order_id, status, order_date: orderDate, discount_pct: discountPct, items };
  },
});
