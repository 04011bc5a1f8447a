import type { Brain } from '../../adapters/scripted-model/brain.ts';
import { callsReply, type Outcome, offers, readAsked, textReply } from './transcript.ts';

/** Plays the model for the agent `refunds`: order, delivery, and the refund where the customer asks for it. */
export const refundsBrain: Brain = (request) => {
  if (!offers(request, ['getOrder', 'getDeliveryStatus', 'issueRefund'])) return undefined;
  const { question, outcomes } = readAsked(request);
  const say = /\p{Script=Thai}/u.test(question) ? thai : english;
  const orderId = /\bORD-\d+/i.exec(question)?.[0].toUpperCase();
  if (orderId === undefined) return textReply(say.which);
  const [order, delivery, refund] = ['getOrder', 'getDeliveryStatus', 'issueRefund'].map((wanted) =>
    outcomes.find(({ name }) => name === wanted),
  );
  if (order === undefined) return callsReply(['getOrder', { orderId }]);
  if (order.failed) return textReply(say.missing);
  if (delivery === undefined) return callsReply(['getDeliveryStatus', { orderId }]);
  const state = String(delivery.value['state']);
  if (!/refund|money back|คืนเงิน/i.test(question)) return textReply(say.state(orderId, state));
  if (refund === undefined) {
    const { amount } = order.value;
    return callsReply(['issueRefund', { orderId, amount, reason: `The customer asks for it: ${state}.` }]);
  }
  return textReply(
    refund.failed ? failure(say, refund) : say.refunded(orderId, String(order.value['amount'])),
  );
};

/** A refund whose outcome is unknown may have been paid: nobody may read here that it was not. */
function failure(say: Sentences, { text }: Outcome): string {
  return text.startsWith('outcome unknown') ? say.unknown : say.declined;
}

interface Sentences {
  readonly which: string;
  readonly missing: string;
  readonly declined: string;
  readonly unknown: string;
  readonly state: (orderId: string, state: string) => string;
  readonly refunded: (orderId: string, amount: string) => string;
}

const english: Sentences = {
  which: 'Which order is it? I need its number.',
  missing: 'I could not find that order.',
  declined: 'I may not refund this order. A colleague will be in touch with you.',
  unknown: 'I cannot see whether the refund was made. A colleague will check and be in touch with you.',
  state: (orderId, state) => `Order ${orderId}: ${state.replaceAll('_', ' ')}.`,
  refunded: (orderId, amount) => `Order ${orderId} was late. We have paid back ${amount} euros.`,
};

const thai: Sentences = {
  which: 'ขอหมายเลขออเดอร์ด้วยค่ะ',
  missing: 'ไม่พบออเดอร์นี้ค่ะ',
  declined: 'ยังคืนเงินออเดอร์นี้ไม่ได้ค่ะ เจ้าหน้าที่จะติดต่อกลับ',
  unknown: 'ยังไม่ทราบว่าคืนเงินแล้วหรือไม่ค่ะ เจ้าหน้าที่จะตรวจสอบและติดต่อกลับ',
  state: (orderId, state) => `สถานะออเดอร์ ${orderId}: ${state} ค่ะ`,
  refunded: (orderId, amount) => `ออเดอร์ ${orderId} ส่งช้า เราคืนเงิน ${amount} ยูโรแล้วค่ะ`,
};
