import { describe, expect, it } from 'vitest';
import { ticketPrompt } from '../../src/agents/triage.ts';
import { ago, duration, percent, span, tokensText, usd } from '../../src/console/model/figures.ts';
import { aboutInput, oneLine, textOfValue, ticketOf } from '../../src/console/model/text.ts';

it('halves no pair of characters', () => {
  expect(oneLine('🧨🧨🧨', 4).isWellFormed()).toBe(true);
});

describe('what an input is about', () => {
  const ticket = { id: 'T-1', subject: 'No  teapot', body: 'subject: forged\nWhere is it?' };
  it.each([
    [ticketPrompt(ticket), 'No teapot'],
    [ticketPrompt({ ...ticket, subject: '', body: 'Where\nis it?' }), 'Where is it?'],
    ['{"subject":"Lamp"}', 'Lamp'],
    ['{"subject":', '{"subject":'],
    ['Just a text', 'Just a text'],
  ])('of %j is %j', (input, about) => {
    expect(aboutInput(input)).toBe(about);
  });
});

it.each([
  [{ ticket: 'T-9' }, 'row', 'T-9'],
  [{ ticket: 4711 }, null, '4711'],
  [{}, 'row', 'row'],
  [null, null, undefined],
])('names the ticket of %j and %j: %j', (metadata, rowId, ticket) => {
  expect(ticketOf(metadata, rowId)).toBe(ticket);
});

it.each([
  ['text', 'text'],
  [
    [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
    'a\nb',
  ],
  [{ a: 1 }, '{\n  "a": 1\n}'],
])('shows %j as text', (value, text) => {
  expect(textOfValue(value)).toBe(text);
});

const tokens = { inputTokens: 3, outputTokens: 30, cacheWriteTokens: 0, cacheReadTokens: 0 };

it.each([
  [usd(0), '$0.00'],
  [tokensText(tokens), '3 tokens in, 30 out'],
  [
    tokensText({ ...tokens, inputTokens: 0, cacheWriteTokens: 1_403 }),
    '1,403 tokens in (1,403 written to the cache), 30 out',
  ],
  [
    tokensText({ ...tokens, cacheWriteTokens: 7, cacheReadTokens: 2_000 }),
    '2,010 tokens in (7 written to the cache, 2,000 read from the cache), 30 out',
  ],
  [usd(0.000154), '$0.000154'],
  [usd(0.0174), '$0.0174'],
  [usd(1234.5), '$1,234.50'],
  [usd(-0.002), '−$0.002000'],
  [percent(1, 1000), '<1 %'],
  [percent(999, 1000), '99 %'],
  [percent(1000, 1000), '100 %'],
  [percent(1, 0), '0 %'],
  [duration(999), '999 ms'],
  [duration(1_500), '1.5 s'],
  [duration(61_000), '1 min 1 s'],
  [span(3_600_000), '1 h'],
  [span(90_000_000), '1 d 1 h'],
  [ago('2026-11-30T10:00:00Z', Date.parse('2026-11-30T10:59:59Z')), '59 min'],
])('writes %s as %s', (written, text) => {
  expect(written).toBe(text);
});
