import { expect, it } from 'vitest';
import { prefixDifference, shapeOf } from '../../../src/adapters/scripted-model/prefix.ts';

const before = '{"model":"m","max_tokens":10,"messages":[{"a":"x, ]\\""},{"b":[1,2]}],"system":"s"}';

it.each([
  ['the same bytes', before, undefined],
  ['one more message', before.replace('2]}]', '2]},{"c":3}]'), undefined],
  ['another max_tokens', before.replace('10', '9'), undefined],
  ['a changed message', before.replace('[1,2]', '[1,3]'), 'messages.1: not the same bytes as before'],
  ['a space within a message', before.replace('[1,2]', '[1, 2]'), 'messages.1: not the same bytes as before'],
  ['a message less', before.replace(',{"b":[1,2]}', ''), 'messages.1: no longer there'],
  ['another system prompt', before.replace('"s"', '"t"'), 'system: not the same bytes as before'],
  [
    'a field less',
    before.replace(',"system":"s"', ''),
    'fields: model,max_tokens,messages after model,max_tokens,messages,system',
  ],
])('sees %s', (_, after, difference) => {
  expect(prefixDifference(shapeOf(before), shapeOf(after))).toBe(difference);
});

it('takes white space and an empty list as they come', () => {
  const spaced = ' { "messages" : [ ] , "model" : "m" } ';

  expect(shapeOf(spaced).messages).toEqual([]);
  expect(
    prefixDifference(shapeOf(spaced), shapeOf(' { "messages" : [ 1 ] , "model" : "m" } ')),
  ).toBeUndefined();
});
