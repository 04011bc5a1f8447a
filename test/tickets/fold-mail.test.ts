import { describe, expect, it } from 'vitest';
import { withRealBreaks } from '../../src/tickets/breaks.ts';
import { foldMail } from '../../src/tickets/fold-mail.ts';

describe('a mail is folded by a mark', () => {
  it.each([
    ['before quoted lines at its end', ['New', '', '> old', '> older'], 2],
    ['before their introduction', ['New', 'On 1 May 2026, Shop wrote:', '> old'], 1],
    [
      'before one that runs over two lines',
      ['New', 'On Mon, 1 May 2026 Shop <a@b.test>', 'wrote:', '> old'],
      1,
    ],
    ['in German', ['Neu', 'Am 01.05.2026 um 10:00 schrieb Shop <a@b.test>:', '', '> alt'], 1],
    ['in French', ['Nouveau', 'Le 1 mai 2026 à 10:00, Shop a écrit :', '> vieux'], 1],
    ['in Spanish', ['Nuevo', 'El 1 may 2026 a las 10:00, Shop escribió:', '> viejo'], 1],
    ['before an original message', ['New', '-----Original Message-----', 'From: Shop', 'Was sent.'], 1],
    ['before the head of a mail', ['New', 'From: Shop <a@b.test>', 'Sent: Monday', 'Was sent.'], 1],
  ])('%s', (_, lines, at) => {
    expect(foldMail(lines.join('\n'))).toBe(
      [...lines.slice(0, at), '[quoted mail]', ...lines.slice(at)].join('\n'),
    );
  });

  it.each([
    ['after two dashes', ['Words', '-- ', 'Sam', 'Kiln Ltd'], 1],
    ['of a telephone', ['Words', '', 'Sent from my iPhone'], 2],
    ['of a telephone in German', ['Worte', 'Gesendet von meinem Telefon'], 1],
  ])('before the signature %s', (_, lines, at) => {
    expect(foldMail(lines.join('\n'))).toBe(
      [...lines.slice(0, at), '[signature]', ...lines.slice(at)].join('\n'),
    );
  });

  it('before both, wherever the signature stands', () => {
    expect(foldMail('Words\n--\nSam\n> old')).toBe('Words\n[signature]\n--\nSam\n[quoted mail]\n> old');
    expect(foldMail('Words\n> old\n--\nSam')).toBe('Words\n[quoted mail]\n> old\n[signature]\n--\nSam');
  });
});

describe('a mail is left as it is', () => {
  it.each([
    ['when its writer answered between the lines', 'See below\n> Which?\nThis one\n> When?\nNow'],
    ['when its writer answered under an introduction', 'On 1 May 2026 Shop wrote:\n> Which?\nThis one'],
    ['when all of it is quoted', '> a\n> b'],
    ['when it begins with a quotation', 'On 1 May 2026 Shop wrote:\n> Which?'],
    ['when somebody writes that somebody wrote', 'On the phone he wrote:\nnothing at all'],
    ['when dashes stand far from its end', `Order\n--\n${'line\n'.repeat(20)}end`],
    ['when it has none of this', 'From here on it is fine.\nSent it back.'],
  ])('%s', (_, text) => {
    expect(foldMail(text)).toBe(text);
  });

  it('loses no line, whatever it holds', () => {
    const lines = [
      '> a',
      'On 1 May 2026 X wrote:',
      '--',
      'words',
      '',
      '-----Original Message-----',
      'Sent from my phone',
    ];
    for (let number = 0; number < 7 ** 4; number += 1) {
      const text = [0, 1, 2, 3].map((place) => lines[Math.floor(number / 7 ** place) % 7]).join('\n');
      const marks = /^\[(quoted mail|signature)\]\n/gm;
      expect(foldMail(text).replaceAll(marks, '')).toBe(text);
    }
  });

  it('is read in a time that grows with its length', () => {
    const text = `words\n${'On 1 a wrote '.repeat(100_000)}\n${'From: x\n'.repeat(100_000)}${'--\n'.repeat(100_000)}`;
    expect(foldMail(text).replaceAll('[signature]\n', '')).toBe(text);
  });
});

describe('breaks written as two characters', () => {
  it.each([
    ['Dear team,\\n\\nit failed.\\nBye', 'Dear team,\n\nit failed.\nBye'],
    ['a\\r\\nb\\rc', 'a\nb\nc'],
    ['see C:\\new\\notes now', 'see C:\\new\\notes now'],
    ['see C:\\new.txt\\nThanks', 'see C:\\new.txt\nThanks'],
    ['see \\\\server\\new now\\nThanks', 'see \\\\server\\new now\nThanks'],
    ['To:\\n\\nBob', 'To:\n\nBob'],
    ['no break at all', 'no break at all'],
  ])('%j is %j', (text, expected) => {
    expect(withRealBreaks(text)).toBe(expected);
  });
});

it('reads a line of millions of marks', () => {
  expect(foldMail('_'.repeat(16_700_000)).length).toBe(16_700_000);
});
