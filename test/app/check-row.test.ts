import { describe, expect, it } from 'vitest';
import { checkRow } from '../../src/app/check-row.ts';

const id = 'r1';
const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

describe('a row of a call', () => {
  it.each([
    [
      { id, input: 'text' },
      { id, line: 0, input: 'text', metadata: {} },
    ],
    [
      { id, input: '' },
      { id, line: 0, input: '', metadata: {} },
    ],
    [
      { id, input: { a: [1] } },
      { id, line: 0, input: '{"a":[1]}', metadata: {} },
    ],
    [
      { id, input: 'x', metadata: { a: 1 } },
      { id, line: 0, input: 'x', metadata: { a: 1 } },
    ],
    [
      { id: 'é 七', input: 'x', metadata: null },
      { id: 'é 七', line: 0, input: 'x', metadata: {} },
    ],
    [
      { id: '😀'.repeat(256), input: 'x' },
      { id: '😀'.repeat(256), line: 0, input: 'x', metadata: {} },
    ],
    [
      { id, input: 'é'.repeat(131_072) },
      { id, line: 0, input: 'é'.repeat(131_072), metadata: {} },
    ],
    [
      { id, input: 'x', metadata: { a: 'x'.repeat(65_528) } },
      { id, line: 0, input: 'x', metadata: { a: 'x'.repeat(65_528) } },
    ],
  ])('is taken when it is as it must be: %#', (row, taken) => {
    expect(checkRow(row)).toEqual(taken);
  });

  it.each([
    ['text', '', /an object/],
    [null, '', /an object/],
    [['a'], '', /an object/],
    [{ input: 'x' }, '', /^id: /],
    [{ id: 7, input: 'x' }, '', /^id: /],
    [{ id: '', input: 'x' }, '', /^id: /],
    [{ id: '  ', input: 'x' }, '', /^id: /],
    [{ id: 'a\nb', input: 'x' }, '', /^id: /],
    [{ id: 'a\u200bb', input: 'x' }, '', /^id: /],
    [{ id: '\ud83d', input: 'x' }, '', /^id: /],
    [{ id: 'x'.repeat(257), input: 'x' }, '', /^id: /],
    [{ id }, id, /^input: it must be/],
    [{ id, input: 7 }, id, /^input: it must be/],
    [{ id, input: ['x'] }, id, /^input: it must be/],
    [{ id, input: cycle }, id, /^input: it must be/],
    [{ id, input: 'é'.repeat(131_073) }, id, /^input: 262146 bytes/],
    [{ id, input: { a: 'x'.repeat(262_144) } }, id, /^input: 262152 bytes/],
    [{ id, input: 'x', metadata: 'x' }, id, /^metadata: it must be/],
    [{ id, input: 'x', metadata: [] }, id, /^metadata: it must be/],
    [{ id, input: 'x', metadata: { a: 'x'.repeat(65_529) } }, id, /^metadata: 65537 bytes/],
    [{ id, input: 'x', output: 'y' }, id, /nothing else/],
  ])('is refused with what is wrong, and nothing of what it holds: %#', (row, rowId, reason) => {
    expect(checkRow(row)).toEqual({ id: rowId, reason: expect.stringMatching(reason) });
  });
});
