import { expect, it } from 'vitest';
import { compose } from '../../../src/adapters/scripted-model/compose.ts';

const text = { type: 'text', text: '🦁🦁🦁🦁' };
const call = { type: 'tool_use', name: 'search', input: { a: 1, b: 'x'.repeat(400) } };

it('names the stop reason by what the content holds', () => {
  expect(compose({ content: [text] }, 'raw', 100)).toMatchObject({
    stopReason: 'end_turn',
    outputTokens: 11,
  });
  expect(compose({ content: [text, call] }, 'raw', 1000).stopReason).toBe('tool_use');
  expect(compose({ content: [], stopReason: 'refusal' }, 'raw', 1)).toMatchObject({ stopReason: 'refusal' });
});

it('makes ids from the text of the request alone', () => {
  const once = compose({ content: [call, call] }, 'raw', 1000);

  expect(compose({ content: [call, call] }, 'raw', 1000)).toEqual(once);
  const other = compose({ content: [call, call] }, 'raw2', 1000);
  const ids = [...once.content, ...other.content].map((block) => block['id']);
  expect(new Set(ids).size).toBe(4);
  expect(ids).toEqual(ids.map(() => expect.stringMatching(/^toolu_[0-9a-f]+$/)));
});

it.each([
  // [{"type":"text","text":""}] has 27 bytes, and each lion four.
  [11, '🦁🦁🦁🦁', 'end_turn'],
  [10, '🦁🦁🦁', 'max_tokens'],
  [8, '🦁', 'max_tokens'],
])('with %i tokens to spend says %s', (maxTokens, said, stopReason) => {
  const cut = compose({ content: [text] }, 'raw', maxTokens);

  expect(cut).toMatchObject({ content: [{ type: 'text', text: said }], stopReason, outputTokens: maxTokens });
});

it('says nothing when not even the first letter fits', () => {
  expect(compose({ content: [text] }, 'raw', 7)).toMatchObject({ content: [], stopReason: 'max_tokens' });
});

it('cuts a call to a part of its input and drops what follows', () => {
  const cut = compose({ content: [call, text] }, 'raw', 50);

  expect(cut).toMatchObject({ stopReason: 'max_tokens', outputTokens: 50 });
  expect(cut.content).toEqual([expect.objectContaining({ type: 'tool_use', input: { a: 1 } })]);
});
