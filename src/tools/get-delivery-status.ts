import * as z from 'zod';
import { defineTool } from '../core/agent.ts';
import { findDelivery } from './shop-data.ts';

/** Says where the parcel of a demo shop's order is. */
export const getDeliveryStatus = defineTool({
  name: 'get_delivery_status',
  description:
    'Say where the parcel of an order is: carrier, state (not_shipped, in_transit, delayed, lost, delivered, returned) and the expected day of arrival.',
  input: z.object({ orderId: z.string().describe('The order id, for example ORD-1001') }),
  policy: 'pure',
  run: ({ orderId }) => findDelivery(orderId),
});
