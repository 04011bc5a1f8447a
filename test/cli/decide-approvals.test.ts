import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { approvalText } from '../../src/cli/decide-approvals.ts';
import { askOn } from '../../src/cli/terminal.ts';

const NOW = Date.parse('2026-03-02T07:00:00.000Z');
const waiting = {
  tool: 'issue_refund',
  input: { orderId: 'ORD-1006', amountCents: 5400, note: 'lost\namountCents: 1', tags: ['a'] },
  expiresAtMs: NOW + 71 * 3_600_000 + 59_999,
};

describe('a call that is put before a person', () => {
  it('is shown with its ticket, one argument a line, and the time that is left', () => {
    expect(approvalText({ id: 'T-4', subject: 'Refund, please' }, waiting, NOW)).toBe(
      [
        '',
        'Ticket T-4: Refund, please',
        'asks for issue_refund',
        '  orderId: ORD-1006',
        '  amountCents: 5400',
        '  note: lost',
        '      amountCents: 1',
        '  tags: ["a"]',
        '71 h 0 min left to decide, until 2026-03-05T06:00:59.999Z',
        '',
      ].join('\n'),
    );
  });

  it.each([
    [59_999, '0 min left'],
    [60_000, '1 min left'],
    [3_600_000, '1 h 0 min left'],
    [-1, '0 min left'],
  ])('has, %i ms before its end, %s', (ms, text) => {
    expect(approvalText({ id: 'T', subject: '' }, { ...waiting, expiresAtMs: NOW + ms }, NOW)).toContain(
      text,
    );
  });

  it('shows no control code and no turned direction of a ticket or a model', () => {
    const evil = 'a\u001b[2J\u202e\u009b1mb\u0007';
    const text = approvalText(
      { id: evil, subject: evil },
      { tool: evil, input: { [evil]: evil, list: [evil] }, expiresAtMs: NOW },
      NOW,
    );
    for (const mark of ['\u001b', '\u009b', '\u0007', '\u202e']) expect(text).not.toContain(mark);
    expect(text.match(/\[U\+202E\]/g)).toHaveLength(6);
  });
});

describe('askOn', () => {
  it('gives the line that was typed', async () => {
    const input = new PassThrough();
    const answer = askOn(input, new PassThrough(), 'Approve? ');
    input.write('y\nn\n');
    expect(await answer).toBe('y');
  });

  it('gives an empty answer where the input ends, also when it is asked again', async () => {
    const input = new PassThrough();
    const answer = askOn(input, new PassThrough(), 'Approve? ');
    input.end();
    expect(await answer).toBe('');
    expect(await askOn(input, new PassThrough(), 'Approve? ')).toBe('');
  });
});
