import { defineAgent } from '../core/agent.ts';
import { getDeliveryStatus } from '../tools/get-food-delivery.ts';
import { getOrder } from '../tools/get-food-order.ts';
import { issueRefund } from '../tools/refund-food-order.ts';

/** Looks after orders that are late or lost, and asks a person before any money goes back. */
export const refunds = defineAgent({
  name: 'refunds',
  model: 'claude-haiku-5-5',
  effort: 'low',
  maxOutputTokens: 1024,
  system:
    'You look after customers whose order is late, lost or wrong. Look the order up with getOrder, then ask ' +
    'getDeliveryStatus. Call issueRefund only when the customer asks for the money, once, and for no more than the order ' +
    'cost: a person decides on it. If that person declines, do not try again; say that a colleague will be in touch. ' +
    "Answer in the customer's language, in one or two short sentences.",
  tools: [getOrder, getDeliveryStatus, issueRefund],
  limits: { maxSteps: 8, maxCostUsd: 0.05 },
});
