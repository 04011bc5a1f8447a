import type { Brain } from '../../adapters/scripted-model/brain.ts';
import { callsReply, type Outcome, offers, readAsked, textReply } from './transcript.ts';

/** More than these in one question are left out: nobody asks for more, and a reply has a bound. */
const MAX_NUMBERS = 10;

/** Plays the model for the agent `orders`: counts for customers first, then the orders, then one sentence for each. */
export const ordersBrain: Brain = (request) => {
  if (!offers(request, ['get_order', 'count_orders'])) return undefined;
  const { question, outcomes } = readAsked(request);
  const asked = (name: string): boolean => outcomes.some((outcome) => outcome.name === name);
  const customers = numbersAfter(question, /\bcustomer\s+#?(\d{1,9})\b/gi);
  const orders = numbersAfter(question, /\border\s+#?(\d{1,9})\b/gi);
  if (customers.length > 0 && !asked('count_orders')) {
    return callsReply(...customers.map((id) => ['count_orders', { customer_id: id }] as const));
  }
  if (orders.length > 0 && !asked('get_order')) {
    return callsReply(...orders.map((id) => ['get_order', { order_id: id }] as const));
  }
  const sentences = outcomes.map(sentenceOf);
  return textReply(
    sentences.length > 0 ? sentences.join(' ') : 'Which order, or which customer? I need its number.',
  );
};

function numbersAfter(text: string, pattern: RegExp): readonly number[] {
  const numbers = [...text.matchAll(pattern)].map(([, digits]) => Number(digits));
  return [...new Set(numbers)].slice(0, MAX_NUMBERS);
}

function sentenceOf({ name, input, failed, text, value }: Outcome): string {
  if (failed)
    return text.includes('not found') ? 'I could not find that order.' : 'I could not look that up.';
  if (name === 'count_orders') return `That customer has ${value['orders']} orders.`;
  // A result that was cut is no JSON any more, but begins with the status all the same.
  const status = value['status'] ?? /"status":"(\w+)"/.exec(text)?.[1];
  return `Order ${input['order_id']} is ${status}.`;
}
