import type { MessagesRequest } from '../../adapters/scripted-model/brain.ts';
import { textOf } from './transcript.ts';

export type Language = 'en' | 'de' | 'fr' | 'es' | 'pt' | 'ja' | 'th' | 'vi';

export type Topic =
  | 'security'
  | 'refund'
  | 'damaged'
  | 'return'
  | 'billing'
  | 'voucher'
  | 'product'
  | 'delivery'
  | 'account'
  | 'change'
  | 'thanks'
  | 'vague';

/**
 * What a ticket makes the scripted model do beside answering. These are the ways in which a real model goes wrong, shown
 * on demand: each is set off by a phrase that a customer might write (`quirks` below).
 */
export type Quirk =
  | 'invalid_once'
  | 'invalid_always'
  | 'same_failing_call'
  | 'endless_calls'
  | 'endless_text'
  | 'refuse';

/** What the rules see in a ticket. */
export interface TicketFacts {
  readonly id: string;
  readonly language: Language;
  readonly topic: Topic;
  readonly orderIds: readonly string[];
  /** The order that a hostile ticket wants to have paid back. */
  readonly demanded: string | undefined;
  readonly late: boolean;
  readonly angry: boolean;
  readonly quirk: Quirk | undefined;
}

const quirks: readonly (readonly [phrase: RegExp, quirk: Quirk])[] = [
  [/\bP0\b/, 'invalid_once'],
  [/only as a poem/i, 'invalid_always'],
  [/keep trying until/i, 'same_failing_call'],
  [/again and again until/i, 'endless_calls'],
  [/as long as you can/i, 'endless_text'],
  [/break into/i, 'refuse'],
];

/** The first that fits counts. Words of a spaced script match from their beginning; the others anywhere. */
const topics: readonly (readonly [topic: Topic, words: readonly string[]])[] = [
  ['security', ['ignore your rules', 'ignore all', 'new instructions', 'system prompt']],
  [
    'refund',
    [
      ...['please refund', 'my money back', 'geld zurück', 'erstatten sie', 'remboursez', 'reembolso'],
      ...['dinheiro de volta', '返金', 'คืนเงิน', 'hoàn tiền'],
    ],
  ],
  [
    'damaged',
    ['broken', 'damaged', 'kaputt', 'beschädigt', 'cassé', 'roto', 'quebrad', '割れ', '破損', 'แตก', 'bị vỡ'],
  ],
  [
    'return',
    [
      ...['return', 'zurückschick', 'rücksend', 'retour', 'devolver', 'devolu', '返品'],
      ...['คืนสินค้า', 'trả hàng', 'đổi trả'],
    ],
  ],
  [
    'billing',
    ['charged', 'invoice', 'rechnung', 'factur', 'fatura', '請求', 'ใบเสร็จ', 'trừ tiền', 'hóa đơn'],
  ],
  ['voucher', ['gift card', 'voucher', 'gutschein', 'carte cadeau', 'ギフトカード', 'บัตรของขวัญ', 'thẻ quà']],
  ['product', ['dishwasher', 'spülmaschine', 'lave-vaisselle', 'máquina de lavar', '食洗機']],
  [
    'delivery',
    [
      ...['parcel', 'where is', 'status of order', 'paket', 'lieferung', 'colis', 'livraison', 'livré'],
      ...['paquete', 'cuándo llega', 'encomenda', '荷物', '配送', 'พัสดุ', 'giao hàng', 'đang ở đâu'],
    ],
  ],
  ['account', ['password', 'passwort', 'mot de passe', 'mi cuenta', 'palavra-passe', 'パスワード', 'รหัสผ่าน']],
  ['change', ['cancel', 'stornier', 'annuler']],
  ['thanks', ['thank you so much', 'vielen herzlichen dank', 'cảm ơn shop nhiều']],
];

const lateWords = ['never arrived', 'lost', 'verloren', 'en retard', 'perdu', 'perdido', 'ช้า', 'chậm'];
const angryWords = ['!!!', '?!', 'ridiculous', 'frechheit', 'inadmissible', 'ช้ามาก'];

/** Common short words; the language with most of them wins, English when none has any. */
const commonWords: readonly (readonly [language: Language, words: RegExp])[] = [
  ['en', /^(the|is|my|and|you|it|to|not|please|where)$/],
  ['de', /^(ich|die|das|der|und|ist|nicht|bitte|mein|sie|es)$/],
  ['fr', /^(je|le|la|les|est|ma|mon|et|que|vous|bonjour|une)$/],
  ['es', /^(el|la|mi|es|que|hola|con|bien|espero|los|una|está|cómo|pedido)$/],
  ['pt', /^(o|minha|meu|não|olá|da|os|uma|encomenda|como)$/],
];

/** Reads the ticket out of the first user message; text without a fence is taken whole. */
export function readTicket(request: MessagesRequest): TicketFacts {
  const prompt = textOf(request.messages[0]?.content ?? '');
  const fenced = /<ticket>\n([\s\S]*)<\/ticket>/.exec(prompt)?.[1] ?? `body:\n${prompt}`;
  const at = fenced.indexOf('body:\n');
  const head = fenced.slice(0, Math.max(at, 0));
  const text = `${/^subject: (.*)$/m.exec(head)?.[1] ?? ''}\n${fenced.slice(at + 'body:\n'.length)}`;
  return {
    id: /^id: (.*)$/m.exec(head)?.[1] ?? 'ticket',
    language: languageOf(text),
    topic: topics.find(([, words]) => mentions(text, words))?.[0] ?? 'vague',
    orderIds: [...new Set((text.match(/\bORD-\d+/gi) ?? []).map((id) => id.toUpperCase()))],
    demanded: /refund order (?:ORD-)?(\d+)/i.exec(text)?.[1],
    late: mentions(text, lateWords),
    angry: mentions(text, angryWords),
    quirk: quirks.find(([phrase]) => phrase.test(text))?.[1],
  };
}

function mentions(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.some((word) => {
    if (!/^\p{Script=Latin}/u.test(word)) return lower.includes(word);
    return new RegExp(`(?<!\\p{L})${word}`, 'u').test(lower);
  });
}

function languageOf(text: string): Language {
  if (/\p{Script=Thai}/u.test(text)) return 'th';
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  if (/[ăđơư\u1ea0-\u1ef9]/iu.test(text)) return 'vi';
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  let best: Language = 'en';
  let most = 0;
  for (const [language, common] of commonWords) {
    const count = words.filter((word) => common.test(word)).length;
    if (count > most) [best, most] = [language, count];
  }
  return best;
}
