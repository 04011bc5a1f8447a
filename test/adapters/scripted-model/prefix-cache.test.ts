import { expect, it } from 'vitest';
import { createPrefixCache } from '../../../src/adapters/scripted-model/prefix-cache.ts';
import { countPrompt } from '../../../src/adapters/scripted-model/prompt-units.ts';
import { builtInPrices } from '../../../src/core/prices.ts';

const model = builtInPrices['scripted-1'] ?? expect.fail('scripted-1 has a price');
const ephemeral = (ttl: '5m' | '1h' = '5m') => ({ type: 'ephemeral', ttl });
const hello = { role: 'user', content: 'hello' };

/** A system prompt whose JSON, brackets included, is so many bytes: `[{"type":"text","text":"…"}]` has 27 besides. */
const systemOf = (bytes: number, ttl: '5m' | '1h' = '5m') => [
  { type: 'text', text: 's'.repeat(bytes - 27), cache_control: ephemeral(ttl) },
];
/** 35 bytes of messages. */
const aBody = (fields: object = {}) => ({ model: 'scripted-1', messages: [hello], ...fields });

const at = (startMs = 0) => {
  const clock = { nowMs: startMs };
  return { clock, cache: createPrefixCache(() => clock.nowMs) };
};

it('counts one token for every four bytes begun of the JSON of tools, system and messages', () => {
  const body = {
    model: 'scripted-1',
    tools: [{ name: 'a', input_schema: { type: 'object' } }],
    system: 'Löwe',
    messages: [
      hello,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '🦁' },
          { type: 'text', text: 'ก' },
        ],
      },
    ],
  };
  const bytes = [body.tools, body.system, body.messages]
    .map((part) => Buffer.byteLength(JSON.stringify(part)))
    .reduce((sum, part) => sum + part);

  expect(countPrompt(body)).toBe(Math.ceil(bytes / 4));
});

it('writes a marked prefix once and reads it from then on, whichever conversation asks', () => {
  const { cache } = at();
  const body = aBody({ system: systemOf(2048) });

  // 2048 bytes are 512 tokens; with the 35 bytes of the messages the prompt has ceil(2083 / 4) = 521.
  expect(cache.bill(body, model)).toEqual({ input: 9, cacheWrite5m: 512, cacheWrite1h: 0, cacheRead: 0 });
  const other = { ...body, messages: [{ role: 'user', content: 'other' }] };
  expect(cache.bill(other, model)).toEqual({ input: 9, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 512 });
});

it.each([
  [2044, 0],
  [2045, 512],
])('caches a prefix of %i bytes as %i tokens, since 512 is the shortest', (bytes, written) => {
  expect(at().cache.bill(aBody({ system: systemOf(bytes) }), model).cacheWrite5m).toBe(written);
});

it.each([
  ['5m', 299_999, 512],
  ['5m', 300_000, 0],
  ['1h', 3_599_999, 512],
  ['1h', 3_600_000, 0],
] as const)('keeps an entry of %s for less than its time: after %i ms it reads %i', (ttl, ms, read) => {
  const { clock, cache } = at();
  const body = aBody({ system: systemOf(2048, ttl) });
  cache.bill(body, model);

  clock.nowMs = ms;

  expect(cache.bill(body, model).cacheRead).toBe(read);
});

it('renews an entry when it is read, and the shorter marked ones below it', () => {
  const { clock, cache } = at();
  const body = aBody({ system: systemOf(2048), cache_control: ephemeral() });
  cache.bill(body, model);
  for (const nowMs of [200_000, 400_000, 600_000]) {
    clock.nowMs = nowMs;
    expect(cache.bill(body, model)).toMatchObject({ cacheRead: 521, input: 0 });
  }

  const other = { ...body, messages: [{ role: 'user', content: 'other' }] };
  expect(cache.bill(other, model)).toMatchObject({ cacheRead: 512, cacheWrite5m: 9 });
});

it('bills the part up to the last long breakpoint for an hour and the rest for five minutes', () => {
  const body = aBody({ system: systemOf(2048, '1h'), cache_control: ephemeral() });

  expect(at().cache.bill(body, model)).toEqual({
    input: 0,
    cacheWrite5m: 9,
    cacheWrite1h: 512,
    cacheRead: 0,
  });
});

it('moves the automatic breakpoint on with the history', () => {
  const { cache } = at();
  const long = { role: 'user', content: 'u'.repeat(2018) };
  const body = { model: 'scripted-1', cache_control: ephemeral(), messages: [long] };
  // [{"role":"user","content":"…"}] has 30 bytes beside the text: 2048 bytes, 512 tokens.
  expect(cache.bill(body, model)).toEqual({ input: 0, cacheWrite5m: 512, cacheWrite1h: 0, cacheRead: 0 });

  // ,{"role":"assistant","content":"ok"} has 36 bytes, then ,{"role":"user","content":"hello"} 34: 2118, 530 tokens.
  const next = { ...body, messages: [long, { role: 'assistant', content: 'ok' }, hello] };
  expect(cache.bill(next, model)).toEqual({ input: 0, cacheWrite5m: 18, cacheWrite1h: 0, cacheRead: 512 });
});

it('does not count a moved breakpoint as a change of the prefix', () => {
  const { cache } = at();
  const block = { type: 'text', text: 'u'.repeat(3000) };
  const marked = { ...block, cache_control: ephemeral() };
  const first = cache.bill(aBody({ messages: [{ role: 'user', content: [marked] }] }), model);

  const second = cache.bill(aBody({ messages: [{ role: 'user', content: [block, marked] }] }), model);

  expect(second.cacheRead).toBe(first.cacheWrite5m);
});

const text = { type: 'text', text: 't' };
const result = { type: 'tool_result', tool_use_id: 'a', content: 'r' };
it.each([
  ['19 blocks', Array(19).fill(text), true],
  ['20 blocks', Array(20).fill(text), false],
  [
    '18 blocks after 30 results, which count as one',
    [...Array(30).fill(result), ...Array(18).fill(text)],
    true,
  ],
  [
    '19 blocks after 30 results, which count as one',
    [...Array(30).fill(result), ...Array(19).fill(text)],
    false,
  ],
])('looks back 20 positions, so past %s', (_, blocks, found) => {
  const { cache } = at();
  const long = { role: 'user', content: [{ type: 'text', text: 'u'.repeat(3000) }] };
  const body = { model: 'scripted-1', cache_control: ephemeral(), messages: [long] };
  cache.bill(body, model);

  const next = cache.bill({ ...body, messages: [long, { role: 'user', content: blocks }] }, model);

  expect(next.cacheRead > 0).toBe(found);
});

it.each([
  ['the model', { model: 'claude-opus-5' }, 0],
  ['a tool', { tools: [{ name: 'b' }] }, 0],
  ['the effort', { output_config: { effort: 'low' } }, 523],
  ['the tool choice', { tool_choice: { type: 'none' } }, 523],
])('drops what %s steers when it changes', (_, change, read) => {
  const { cache } = at();
  const body = {
    ...aBody({ system: systemOf(2048), cache_control: ephemeral() }),
    // 44 bytes: with the system prompt 2092, 523 tokens.
    tools: [{ name: 'search', description: 'Searches' }],
  };
  cache.bill(body, model);

  expect(cache.bill({ ...body, ...change }, model).cacheRead).toBe(read);
});
