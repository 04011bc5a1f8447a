import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { approvalText, decideApprovals } from '../../src/cli/decide-approvals.ts';
import { askOn } from '../../src/cli/terminal.ts';
import { keptTerminal } from '../support/command-line.ts';

const NOW = Date.parse('2026-03-02T07:00:00.000Z');
const AT = { nowMs: NOW, width: 80 };
const waiting = {
  tool: 'issue_refund',
  input: { orderId: 'ORD-1006', amountCents: 5400, note: 'lost\namountCents: 1', tags: ['a'] },
  expiresAtMs: NOW + 71 * 3_600_000 + 59_999,
};

describe('a call that is put before a person', () => {
  it('is shown with its ticket, one argument a line, and the time that is left', () => {
    expect(
      approvalText({ id: 'T-4', subject: 'Refund, please', text: 'Lost.\nasks for nothing' }, waiting, AT),
    ).toBe(
      [
        '',
        'Ticket T-4: Refund, please',
        '  | Lost.',
        '  | asks for nothing',
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
    expect(
      approvalText({ id: 'T', subject: '', text: '' }, { ...waiting, expiresAtMs: NOW + ms }, AT),
    ).toContain(text);
  });

  it('has no line that looks like another argument, however a value is padded', () => {
    const note = `${'a'.padEnd(AT.width)}  cents: 100\n  cents: 1`;
    const call = { ...waiting, input: { note, cents: 99_900 } };
    const lines = approvalText({ id: 'T', subject: '', text: '' }, call, AT).split('\n');
    expect(lines.filter((line) => /^ {0,5}cents:/.test(line))).toEqual(['  cents: 99900']);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(AT.width);
  });

  it('shows no control code and no turned direction of a ticket or a model', () => {
    const evil = 'a\u001b[2J\u202e\u009b1mb\u0007';
    const text = approvalText(
      { id: evil, subject: evil, text: evil },
      { tool: evil, input: { [evil]: evil, list: [evil] }, expiresAtMs: NOW },
      AT,
    );
    for (const mark of ['\u001b', '\u009b', '\u0007', '\u202e']) expect(text).not.toContain(mark);
    expect(text.match(/\[U\+202E\]/g)).toHaveLength(7);
    expect(text).toContain('  | a[U+001B][2J[U+202E][U+009B]1mb[U+0007]');
  });
});

describe('the question', () => {
  const long = Array.from({ length: 14 }, (_, at) => `line ${at + 1}`).join('\n');

  /** What was asked and decided where these keys are typed one after another. */
  async function typed(...keys: readonly string[]) {
    const asked: string[] = [];
    const decided: string[] = [];
    const left = [...keys];
    const ask = async (question: string): Promise<string> => {
      asked.push(question);
      return left.shift() ?? '';
    };
    const { terminal } = keptTerminal({ ask });
    const run = {
      ticketOf: async () => ({ id: 'T-4', subject: 'Cup', text: long }),
      decide: async (_: unknown, decision: string) => void decided.push(decision),
    };
    const call = { ...waiting, jobId: 'job_1', callId: 'call_1_0', inputHash: 'h' };
    await decideApprovals(
      { run, terminal, now: () => NOW, mode: 'ask', signal: new AbortController().signal },
      [call],
    );
    return { asked, decided };
  }

  it('shows the first lines of the ticket, and all of it by t', async () => {
    const { asked, decided } = await typed('t', 'y');
    expect(asked[0]).toContain('  | line 12\n  | … 2 more lines: t shows all\nasks for issue_refund');
    expect(asked[1]).toContain('  | line 14\nApprove?');
    expect(decided).toEqual(['approve']);
  });

  it('explains its keys by ?, and decides nothing by that', async () => {
    const { asked, decided } = await typed('?', '');
    expect(asked[1]).toMatch(/^ {2}y {6}approve.*\n {2}n {6}deny/);
    expect(decided).toEqual([]);
  });

  it('is asked again where something else was typed, and says what explains the keys', async () => {
    const { asked, decided } = await typed('maybe', 'n');
    expect(asked[1]).toMatch(/^"maybe" is none of these: \? explains them\. Approve\?/);
    expect(decided).toEqual(['deny']);
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
