import { describe, expect, it } from 'vitest';
import { consoleCommand, decideCommands, triageDefaults } from '../../src/cli/decide-command.ts';
import { shellWord } from '../../src/cli/shell-word.ts';
import type { TriageOptions } from '../../src/cli/triage.ts';
import { wordsOf } from '../support/shell-words.ts';

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
