import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { main } from '../../src/cli/main.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import type { ResultRow } from '../../src/tickets/results.ts';
import { wordsOf } from '../support/shell-words.ts';

const tickets = [
  'Nr,Betreff,Text',
  'R-1,Refund please,"My order ORD-1006 is lost. Please refund the full amount to my card."',
  'R-2,Parcel,Where is ORD-1001?',
];

/** Runs the command line as it is typed, and answers the questions with `answers`, one after the other. */
async function run(
  words: readonly string[],
  answers?: readonly string[],
): Promise<{ code: number; out: string; asked: readonly string[] }> {
  let out = '';
  const asked: string[] = [];
  const terminal: Terminal = {
    ...{ live: false, color: false, width: 100, err: () => undefined },
    out: (text) => {
      out += text;
    },
    ask:
      answers === undefined
        ? undefined
        : async (question) => {
            asked.push(question);
            return answers[asked.length - 1] ?? '';
          },
  };
  return { code: await main(words, terminal), out, asked };
}

it('prints a command that decides what waits, whatever options the run had, and pays for nothing again', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'treadle-decide-')), "it's $HOME");
  mkdirSync(folder);
  const file = join(folder, 'my "tickets".csv');
  writeFileSync(file, tickets.join('\n'));
  const given = [
    ...['triage', file, '--out', join(folder, 'out'), '--data', join(folder, 'the state'), '--quiet'],
    ...['--map', 'id=Nr,subject=Betreff,body=Text', '--max-steps', '7', '--max-cost-usd', '0.03'],
    ...['--budget-usd', '0.5', '--concurrency', '3', '--fresh', '--approvals', 'leave'],
  ];
  const first = await run(given);
  expect(first.code).toBe(exitCode.done);
  const results = (): readonly ResultRow[] =>
    readFileSync(join(folder, 'out/results.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const before = results();
  expect(before.map(({ status }) => status)).toEqual(['awaiting_approval', 'succeeded']);

  const [, command = ''] = /^waiting {2}R-1: decide with {2}(.*)$/m.exec(first.out) ?? [];
  const [, shown = ''] = /^ {9}or in the console of {2}(.*)$/m.exec(first.out) ?? [];
  expect(wordsOf(shown)).toEqual(['npx', '--no', 'treadle', 'dev', '--data', join(folder, 'the state')]);
  const [npx, no, treadle, ...words] = wordsOf(command);
  expect([npx, no, treadle]).toEqual(['npx', '--no', 'treadle']);
  const second = await run(words, ['ja', 'Y ']);
  expect(second.code).toBe(exitCode.done);
  // What was mistyped is asked again.
  expect(second.asked[0]).toMatch(
    /^\nTicket R-1: Refund please\n(?: {2}\| .*\n)+asks for issue_refund\n {2}orderId: ORD-1006\n/,
  );
  expect(second.asked[1]).toBe(
    '"ja" is none of these: ? explains them. Approve? [y = yes, n = no, Enter = later, ? = more] ',
  );
  expect(second.out).not.toContain('waiting  ');
  expect(second.out).toContain('calls    1 model call in this run');
  const after = results();
  expect(after.map(({ jobId }) => jobId)).toEqual(before.map(({ jobId }) => jobId));
  expect(after.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect(readFileSync(join(folder, 'out/report.html'), 'utf8')).not.toContain('Decide with');
});
