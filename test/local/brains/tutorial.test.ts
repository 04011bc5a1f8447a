import { describe, expect, it } from 'vitest';
import type { MessagesRequest, RequestMessage } from '../../../src/adapters/scripted-model/brain.ts';
import { agents } from '../../../src/agents/index.ts';
import { ANSWER_TOOL } from '../../../src/core/agent.ts';
import type { ContentBlock } from '../../../src/core/content.ts';
import { exampleBrain } from '../../../src/local/brains/index.ts';

type Call = readonly [name: string, input: object, result: string, isError?: boolean];

/** A request of a shipped agent: its question, and calls that have their results. */
function requestOf(name: string, question: string, ...calls: readonly Call[]): MessagesRequest {
  const agent = agents.find((candidate) => candidate.name === name);
  if (agent === undefined) throw new Error(`no agent ${name}`);
  const rounds = calls.flatMap(([tool, input, result, isError = false], at): readonly RequestMessage[] => [
    { role: 'assistant', content: [{ type: 'tool_use', id: `t${at}`, name: tool, input }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: result, is_error: isError }],
    },
  ]);
  const names = [...agent.tools.keys(), ...(agent.output === undefined ? [] : [ANSWER_TOOL])];
  return {
    ...{ model: agent.model, max_tokens: agent.maxOutputTokens, userId: undefined },
    system: [{ type: 'text', text: agent.system }],
    messages: [{ role: 'user', content: [{ type: 'text', text: question }] }, ...rounds],
    tools: names.map((tool) => ({ name: tool })),
  };
}

const contentOf = (request: MessagesRequest): readonly ContentBlock[] => exampleBrain(request)?.content ?? [];
const textOf = (request: MessagesRequest): unknown => contentOf(request)[0]?.['text'];

describe('the rules for the agents of the tutorial', () => {
  it.each(agents.map(({ name }) => name))('are a pure function of the request: %s', (name) => {
    const request = requestOf(name, 'Where is order 1, or ORD-1001, and what is 2 + 2?');
    const first = exampleBrain(structuredClone(request));
    expect(first?.content.length).toBeGreaterThan(0);
    expect(exampleBrain(request)).toEqual(first);
  });

  it('leave an agent alone that offers one tool more, or one less', () => {
    const request = requestOf('orders', 'Where is order 1?');
    expect(exampleBrain({ ...request, tools: [...request.tools, { name: 'other' }] })).toBeUndefined();
    expect(exampleBrain({ ...request, tools: request.tools.slice(1) })).toBeUndefined();
  });

  it('take a follow-up for a new question', () => {
    const before = requestOf('orders', 'Where is order 1?', [
      'get_order',
      { order_id: 1 },
      '{"status":"completed"}',
    ]);
    const messages: readonly RequestMessage[] = [
      ...before.messages,
      { role: 'assistant', content: [{ type: 'text', text: 'Order 1 is completed.' }] },
      { role: 'user', content: [{ type: 'text', text: 'And order 2?' }] },
    ];
    expect(contentOf({ ...before, messages })).toMatchObject([{ name: 'get_order', input: { order_id: 2 } }]);
  });

  it('ask for the number that is missing', () => {
    expect(textOf(requestOf('orders', 'Where is my parcel?'))).toContain('I need its number.');
    expect(textOf(requestOf('refunds', 'I want my money back.'))).toContain('I need its number.');
    expect(textOf(requestOf('refunds', 'ขอคืนเงิน'))).toBe('ขอหมายเลขออเดอร์ด้วยค่ะ');
  });

  const order: Call = ['getOrder', { orderId: 'ORD-1042' }, '{"amount":48}'];
  const delivery: Call = ['getDeliveryStatus', { orderId: 'ORD-1042' }, '{"state":"delayed"}'];
  it.each([
    ['made', '{"refunded":true}', false, 'Order ORD-1042 was late. We have paid back 48 euros.'],
    ['declined', 'A person declined this call; it was not run.', true, 'I may not refund this order.'],
    // It may have been paid: nobody may read that it was not.
    [
      'of unknown outcome',
      'outcome unknown: this call was started.',
      true,
      'I cannot see whether the refund',
    ],
  ])('say of a refund that was %s what is true', (_, result, isError, said) => {
    const refund: Call = ['issueRefund', { orderId: 'ORD-1042', amount: 48 }, result, isError];
    const request = requestOf('refunds', 'Please refund ORD-1042.', order, delivery, refund);
    expect(textOf(request)).toContain(said);
  });

  it('ask for no refund that nobody asked for', () => {
    expect(textOf(requestOf('refunds', 'Where is ORD-1042?', order, delivery))).toBe(
      'Order ORD-1042: delayed.',
    );
    const missing: Call = ['getOrder', { orderId: 'ORD-9' }, 'Error: order not found: ORD-9', true];
    expect(textOf(requestOf('refunds', 'Please refund ORD-9.', missing))).toBe(
      'I could not find that order.',
    );
  });

  it('answer from no document that could not be read', () => {
    const listed: Call = ['list_files', {}, '{"files":[{"filename":"warranty.md","preview":"# Warranty"}]}'];
    const read: Call = [
      'read_file',
      { filename: 'warranty.md' },
      'Error: there is no file warranty.md',
      true,
    ];
    const [answer] = contentOf(requestOf('docs', 'How long is the warranty?', listed, read));
    expect(answer).toMatchObject({ name: ANSWER_TOOL, input: { sources: [], confidence: 0.2 } });
  });
});
