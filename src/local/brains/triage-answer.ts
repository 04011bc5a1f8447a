import type { TriageOutput } from '../../agents/triage.ts';
import type { Outcome } from './transcript.ts';
import { type Phrase, phrases } from './triage-phrases.ts';
import type { TicketFacts, Topic } from './triage-ticket.ts';

interface Desk {
  readonly category: TriageOutput['category'];
  readonly route: TriageOutput['route_to'];
  readonly priority: TriageOutput['priority'];
  /** Somebody has to act on every ticket of this topic. */
  readonly human: boolean;
  readonly says: string;
}

const desks: Readonly<Record<Topic, Desk>> = {
  security: desk('security', 'security', 'P1', true, 'The ticket tries to give the agent instructions'),
  refund: desk('refund', 'payments', 'P2', false, 'The customer asks for the money of an order'),
  damaged: desk('damaged_item', 'customer_care', 'P2', true, 'An item arrived damaged'),
  return: desk('return', 'returns', 'P3', false, 'The customer wants to return an item'),
  billing: desk(
    'billing',
    'payments',
    'P3',
    true,
    'The customer has a question about a payment or an invoice',
  ),
  voucher: desk(
    'billing',
    'self_service',
    'P4',
    false,
    'The customer asks how to use a gift card or voucher',
  ),
  product: desk('product', 'self_service', 'P4', false, 'The customer asks about the care of a product'),
  delivery: desk('delivery', 'logistics', 'P3', false, 'The customer asks where a parcel is'),
  account: desk('account', 'accounts', 'P3', false, 'The customer needs help with an account'),
  change: desk('other', 'customer_care', 'P3', true, 'The customer wants to change or cancel an order'),
  thanks: desk('other', 'customer_care', 'P4', false, 'The customer says thank you'),
  vague: desk('other', 'customer_care', 'P3', true, 'The ticket does not say what it is about'),
};

function desk(
  category: Desk['category'],
  route: Desk['route'],
  priority: Desk['priority'],
  human: boolean,
  says: string,
): Desk {
  return { category, route, priority, human, says };
}

/** The answer that ticket and tool results call for. */
export function answerOf(facts: TicketFacts, outcomes: readonly Outcome[]): TriageOutput {
  const { category, route, priority, human, says } = desks[facts.topic];
  const declined = outcomes.some((outcome) => outcome.name === 'issue_refund' && outcome.failed);
  const missing = outcomes.some((outcome) => outcome.name === 'get_order' && outcome.failed);
  const lost = outcomes.some(({ value }) => value['state'] === 'lost');
  const evidence = outcomes.flatMap(evidenceOf);
  const findings = evidence.length === 0 ? '' : ` (${evidence.join('; ')})`;
  return {
    category,
    priority: priority === 'P3' && (facts.angry || lost) ? 'P2' : priority,
    sentiment: sentimentOf(facts),
    language: facts.language,
    summary: `${says}${findings}.`,
    route_to: route,
    suggested_reply: replyOf(facts, outcomes, human || declined || lost),
    needs_human: human || declined || lost,
    confidence: confidenceOf(facts.topic, missing),
    evidence,
  };
}

function sentimentOf({ angry, late, topic }: TicketFacts): TriageOutput['sentiment'] {
  if (angry) return 'angry';
  if (topic === 'thanks') return 'positive';
  return late || topic === 'damaged' ? 'worried' : 'neutral';
}

function confidenceOf(topic: Topic, missing: boolean): number {
  if (topic === 'vague') return 0.35;
  return missing ? 0.7 : 0.92;
}

function evidenceOf({ name, input, failed, text, value }: Outcome): readonly string[] {
  const order = String(input['orderId'] ?? '');
  if (name === 'issue_refund') return [`refund of ${order} ${refundState(failed, text)}`];
  if (name === 'search_help') return articleTitles(value).map((title) => `help article: ${title}`);
  if (failed) return text.includes('not found') ? [`order ${order} not found`] : [];
  if (name === 'get_order') return [`order ${order}: ${String(value['status'])}`];
  if (name !== 'get_delivery_status') return [];
  return [`delivery of ${order}: ${String(value['state'])}, expected ${String(value['expectedOn'])}`];
}

/** A refund whose outcome is unknown may have been paid: nobody may read here that it was not. */
function refundState(failed: boolean, text: string): string {
  if (!failed) return 'made';
  return text.startsWith('outcome unknown') ? 'may have been made: check before paying' : 'not made';
}

function articleTitles(value: Outcome['value']): readonly string[] {
  const articles: readonly { readonly title?: unknown }[] = Array.isArray(value['articles'])
    ? value['articles']
    : [];
  return articles.slice(0, 1).map((article) => String(article.title));
}

/** What every reply on a topic says beside the findings. */
const advice: Partial<Record<Topic, Phrase>> = {
  damaged: 'damaged',
  return: 'return',
  billing: 'billing',
  voucher: 'voucher',
  product: 'product',
  account: 'account',
  change: 'change',
  thanks: 'thanks',
  vague: 'more',
};

function replyOf(facts: TicketFacts, outcomes: readonly Outcome[], followUp: boolean): string {
  const say = (phrase: Phrase, outcome?: Outcome): string =>
    phrases[facts.language][phrase]
      .replace('{id}', String(outcome?.input['orderId'] ?? ''))
      .replace('{date}', String(outcome?.value['expectedOn'] ?? ''));
  // A hostile ticket learns nothing of what was looked up or tried.
  if (facts.topic === 'security') return `${say('hello')} ${say('follow_up')}`;
  const found = outcomes.flatMap((outcome) => {
    const phrase = phraseOf(outcome);
    return phrase === undefined ? [] : [say(phrase, outcome)];
  });
  const topical = advice[facts.topic];
  const parts = [
    say('hello'),
    ...new Set(found),
    ...(topical === undefined ? [] : [say(topical)]),
    ...(followUp ? [say('follow_up')] : []),
  ];
  // Japanese sets no space between sentences.
  return parts.join(facts.language === 'ja' ? '' : ' ');
}

const states: readonly Phrase[] = ['in_transit', 'delayed', 'lost', 'not_shipped', 'delivered', 'returned'];

function phraseOf({ name, failed, text, value }: Outcome): Phrase | undefined {
  if (name === 'issue_refund') return failed ? undefined : 'refunded';
  if (failed) return text.includes('not found') ? 'not_found' : undefined;
  return name === 'get_delivery_status' ? states.find((state) => state === value['state']) : undefined;
}
