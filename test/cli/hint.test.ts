import { describe, expect, it } from 'vitest';
import { sampleBatchId } from '../../src/api/batch-samples.ts';
import type { Given } from '../../src/api/route.ts';
import { sampleJobId } from '../../src/api/samples.ts';
import { hint, programName } from '../../src/cli/hint.ts';
import { worldGiven } from '../api/given.ts';
import { overHttp } from '../api/senders.ts';
import { treadle } from '../support/command-line.ts';

const local = 'http://127.0.0.1:8787';
const other = 'http://127.0.0.1:8799';
const installed = { environment: {}, script: '/usr/local/bin/treadle' };

describe('a command that is to be copied', () => {
  it.each<[string, string, Record<string, string>, string]>([
    ['its own name, where it was found by that', '/usr/local/bin/treadle', {}, 'treadle'],
    [
      'npx, where npm started it',
      '/x/node_modules/.bin/treadle',
      { npm_command: 'exec' },
      'npx --no treadle',
    ],
    ['npx, in a script of npm', '/x/src/cli/treadle.mjs', { npm_command: 'run-script' }, 'npx --no treadle'],
    ['npx, where a file of the checkout was started', '/x/src/cli/treadle.mjs', {}, 'npx --no treadle'],
  ])('begins with %s', (_how, script, environment, name) => {
    expect(programName({ environment, script })).toBe(name);
  });

  it.each<[string, Record<string, string>, string]>([
    [local, {}, 'treadle jobs'],
    [other, {}, `treadle jobs --endpoint ${other}`],
    [other, { TREADLE_ENDPOINT: other }, `treadle jobs --endpoint ${other}`],
    [local, { TREADLE_ENDPOINT: other }, `treadle jobs --endpoint ${local}`],
  ])(
    'names the deployment %s where the next command would ask another one: %j',
    (endpoint, environment, text) => {
      expect(hint('jobs', endpoint, { ...installed, environment })).toBe(text);
    },
  );
});

describe('every command that is printed names the deployment that was asked', () => {
  it.each<[Given, readonly string[], number]>([
    ['nothing', ['submit', 'x'], 1],
    ['nothing', ['stop-all'], 1],
    ['nothing', ['batch', 'submit', 'examples/tickets.csv'], 2],
    ['stopped', ['watch', sampleJobId], 1],
    ['awaiting_approval', ['watch', sampleJobId], 2],
    ['awaiting_approval', ['trace', sampleJobId], 2],
    ['awaiting_approval', ['approvals'], 2],
    ['nothing', ['cancel', sampleJobId], 1],
    ['nothing', ['batch', 'status', sampleBatchId], 1],
    ['dead_letter', ['doctor'], 2],
  ])('%s: %j', async (given, args, count) => {
    const { port } = await overHttp(await worldGiven(given));
    const { out, err } = await treadle(port, args);
    const commands = `${out}${err}`.match(/npx --no treadle .*?--endpoint \S+/g) ?? [];
    expect(commands).toHaveLength(count);
    for (const command of commands)
      expect(command).toMatch(new RegExp(`--endpoint http://127.0.0.1:${port}$`));
    expect(`${out}${err}`.replaceAll('npx --no treadle', '')).not.toMatch(/\btreadle (?!: )[a-z]/);
  });
});

it('the example of a command can be copied', async () => {
  for (const args of [['--help'], ['jobs', '--help'], ['batch', 'results', '--help'], ['triage', '--help']]) {
    const { out } = await treadle(9, args);
    expect(out).toMatch(/\nExample:\n {2}npx --no treadle /);
    expect(out.split('\nExample:\n')[1]).not.toMatch(/^ {2}treadle/m);
  }
});
