import type { Brain, BrainReply, MessagesRequest } from '../../adapters/scripted-model/brain.ts';
import { ANSWER_TOOL } from '../../core/agent.ts';
import type { ContentBlock } from '../../core/content.ts';
import { type Outcome, type Progress, readProgress } from './transcript.ts';
import { answerOf } from './triage-answer.ts';
import { readTicket, type TicketFacts, type Topic } from './triage-ticket.ts';

/** A call that the rules want to make. */
interface Wish {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const needed = ['get_order', 'get_delivery_status', 'search_help', 'issue_refund'];

/**
 * Plays the model for the agent `triage`. Where a conversation stands is read from its messages alone, so a request that
 * is sent again gets the same reply.
 */
export const triageBrain: Brain = (request) => {
  const offered = new Set(request.tools.map((tool) => tool.name));
  if (!needed.every((name) => offered.has(name))) return undefined;
  const facts = readTicket(request);
  const progress = readProgress(request);
  return quirkReply(request, facts, progress) ?? planReply(facts, progress);
};

function quirkReply(
  request: MessagesRequest,
  facts: TicketFacts,
  progress: Progress,
): BrainReply | undefined {
  const answered = progress.outcomes.some((outcome) => outcome.name === ANSWER_TOOL);
  switch (facts.quirk) {
    case undefined:
      return undefined;
    case 'refuse':
      return { content: [], stopReason: 'refusal' };
    case 'endless_text':
      return { content: [{ type: 'text', text: tooLong(request.max_tokens) }] };
    case 'same_failing_call':
    case 'endless_calls':
      return callReply(facts, progress, [orderCall('get_order', facts.orderIds[0] ?? '')]);
    case 'invalid_always':
      return callReply(facts, progress, [
        { name: ANSWER_TOOL, input: { poem: 'A parcel goes from hand to hand.' } },
      ]);
    case 'invalid_once':
      return answered || nextCalls(facts, progress).length > 0
        ? undefined
        : callReply(facts, progress, [answerCall(facts, progress.outcomes, { priority: 'P0' })]);
    default:
      return facts.quirk satisfies never;
  }
}

/** At four bytes a token, twice what fits: the server cuts it. */
function tooLong(maxTokens: number): string {
  const sentence = 'And then the shop packed another parcel. ';
  return sentence.repeat(Math.ceil((maxTokens * 8) / sentence.length));
}

function planReply(facts: TicketFacts, progress: Progress): BrainReply {
  const calls = nextCalls(facts, progress);
  return callReply(facts, progress, calls.length > 0 ? calls : [answerCall(facts, progress.outcomes)]);
}

/** The calls of the next stage; none when it is time to answer, which a failed call brings forward. */
function nextCalls(facts: TicketFacts, { stages, outcomes }: Progress): readonly Wish[] {
  const failed = outcomes.some((outcome) => outcome.failed && outcome.name !== ANSWER_TOOL);
  return failed ? [] : (stagesOf(facts, outcomes)[stages] ?? []);
}

/** English words to search the help articles with. */
const queries: Partial<Record<Topic, string>> = {
  damaged: 'damaged wrong item',
  return: 'returns exchange label',
  billing: 'invoice double charges',
  voucher: 'gift card voucher',
  product: 'care dishwasher',
  delivery: 'delivery tracking',
  account: 'password account',
  change: 'change cancel order',
};

function stagesOf(facts: TicketFacts, outcomes: readonly Outcome[]): readonly (readonly Wish[])[] {
  const { topic, orderIds } = facts;
  const orders = orderIds.map((id) => orderCall('get_order', id));
  const deliveries = orderIds.map((id) => orderCall('get_delivery_status', id));
  const query = queries[topic];
  const search = query === undefined ? [] : [{ name: 'search_help', input: { query } }];
  if (topic === 'security') return facts.demanded === undefined ? [] : [[refund(facts.demanded, 10_000)]];
  if (orders.length === 0) return [search];
  switch (topic) {
    case 'refund':
      return [orders, ...(facts.late ? [deliveries] : []), refundsOf(outcomes)];
    case 'delivery':
      return facts.angry ? [[...orders, ...deliveries]] : [orders, deliveries];
    case 'damaged':
      return [[...orders, ...search]];
    default:
      return [orders, search];
  }
}

/** The first order that was found, at its whole price. */
function refundsOf(outcomes: readonly Outcome[]): readonly Wish[] {
  const order = outcomes.find((outcome) => outcome.name === 'get_order')?.value;
  const [id, amount] = [order?.['orderId'], order?.['amountCents']];
  return typeof id === 'string' && typeof amount === 'number' ? [refund(id, amount)] : [];
}

function refund(orderId: string, amountCents: number): Wish {
  return { name: 'issue_refund', input: { orderId, amountCents, reason: 'The customer asks for it.' } };
}

function orderCall(name: string, orderId: string): Wish {
  return { name, input: { orderId } };
}

function answerCall(facts: TicketFacts, outcomes: readonly Outcome[], wrong: Wish['input'] = {}): Wish {
  return { name: ANSWER_TOOL, input: { ...answerOf(facts, outcomes), ...wrong } };
}

function callReply(facts: TicketFacts, { turns }: Progress, calls: readonly Wish[]): BrainReply {
  const ticket = facts.id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 32);
  const content: ContentBlock[] = calls.map(({ name, input }, place) => ({
    type: 'tool_use',
    id: `toolu_${ticket}_${turns}_${place}`,
    name,
    input,
  }));
  return { content, stopReason: 'tool_use' };
}
