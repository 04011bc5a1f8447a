import { defineAgent } from '../core/agent.ts';
import { countOrders } from '../tools/count-orders.ts';
import { getOrder } from '../tools/get-table-order.ts';

/** Answers questions about an orders table. */
export const orders = defineAgent({
  name: 'orders',
  model: 'claude-haiku-5-5',
  effort: 'low',
  maxOutputTokens: 1024,
  system:
    'You answer questions about the orders of a shop. Look everything up with the tools; never guess. ' +
    'When an order is not found, say so. Answer in one or two short sentences.',
  tools: [getOrder, countOrders],
  limits: { maxSteps: 5, maxCostUsd: 0.05 },
});
