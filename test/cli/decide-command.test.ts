import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { consoleCommand, decideCommands, triageDefaults } from '../../src/cli/decide-command.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { main } from '../../src/cli/main.ts';
import { shellWord } from '../../src/cli/shell-word.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import type { TriageOptions } from '../../src/cli/triage.ts';
import type { ResultRow } from '../../src/tickets/results.ts';

/** The words that a shell makes of a command. */
function wordsOf(command: string): readonly string[] {
  const program = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
  const shown = spawnSync('sh', ['-c', `"$0" -e '${program}' -- ${command}`, process.execPath], {
    encoding: 'utf8',
  });
  return JSON.parse(shown.stdout) as readonly string[];
}

const usual: TriageOptions = {
  ...triageDefaults,
  ...{
    files: ['tickets.csv'],
    endpoint: undefined,
    data: undefined,
    budgetUsd: undefined,
    maxCostUsd: undefined,
  },
  ...{ maxSteps: undefined, fresh: false, approvals: undefined, map: undefined, agents: undefined },
  ...{ modelScript: undefined, json: false, quiet: false },
};

it.each([
  'plain.csv',
  'a b',
  "it's",
  '"x"',
  '$HOME',
  '`x`',
  '~',
  '*',
  '',
  'a;b',
  '#a',
  '!!',
  'ตั๋ว',
  '=x',
  '\\',
  'a\nb',
])('writes %j so that a shell reads one word', (text) => {
  expect(wordsOf(shellWord(text))).toEqual([text]);
});

describe('decideCommands', () => {
  it('says no more than the run did, in the way it was started', () => {
    expect(decideCommands(usual, { npm_lifecycle_event: 'triage' })).toEqual([
      'npm run triage -- tickets.csv --approvals ask',
    ]);
    expect(decideCommands(usual, {})).toEqual(['npx --no treadle triage tickets.csv --approvals ask']);
  });

  it('never begins anew, and shows what it asks', () => {
    const [command] = decideCommands(
      { ...usual, fresh: true, json: true, quiet: true, approvals: 'leave' },
      {},
    );
    expect(command).toBe('npx --no treadle triage tickets.csv --approvals ask');
  });

  it('does not take a file for an option', () => {
    expect(decideCommands({ ...usual, files: ['./-x.csv'] }, {})[0]).toContain(' ./-x.csv ');
  });

  it('serves the stored run where the tickets came from stdin', () => {
    const options = { ...usual, files: ['-'], out: 'my run', agents: 'mine.ts', modelScript: 'a.json' };
    expect(decideCommands(options, {})).toEqual([
      "npx --no treadle dev --data 'my run/state' --agents mine.ts --model-script a.json",
      'npx --no treadle approve JOB CALL',
    ]);
  });

  it('names the console that shows what waits', () => {
    expect(consoleCommand(usual)).toBe('npx --no treadle dev --data triage-out/state');
    expect(consoleCommand({ ...usual, endpoint: 'http://127.0.0.1:8787' })).toBe(
      'npx --no treadle console --endpoint http://127.0.0.1:8787',
    );
  });

  it('names the deployment that the run is on, also where the tickets came from stdin', () => {
    const there = { ...usual, endpoint: 'http://127.0.0.1:8787' };
    expect(decideCommands(there, {})).toEqual([
      'npx --no treadle triage tickets.csv --endpoint http://127.0.0.1:8787 --approvals ask',
    ]);
    expect(decideCommands({ ...there, files: ['-'] }, {})).toEqual([
      'npx --no treadle approve JOB CALL --endpoint http://127.0.0.1:8787',
    ]);
  });
});

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
