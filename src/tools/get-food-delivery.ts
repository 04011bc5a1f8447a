import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { findDelivery } from './shop-data.ts';

/** Says for the agent `refunds` where an order is. */
export const getDeliveryStatus = defineTool({
  name: 'getDeliveryStatus',
  description:
    'Say where an order is: carrier, state (not_shipped, in_transit, delayed, lost, delivered, returned) and when it was expected.',
  input: z.object({ orderId: z.string().describe('The order id, for example ORD-1042') }),
  policy: 'pure',
  run: ({ orderId }) => findDelivery(orderId),
});
