import { describe, expect, it } from 'vitest';
import type { Given } from '../../src/api/route.ts';
import { sampleLetterId } from '../../src/api/samples.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { createProgram } from '../../src/cli/main.ts';
import { createClient } from '../../src/client.ts';
import { worldGiven } from '../api/given.ts';
import { overHttp } from '../api/senders.ts';
import { json, keptTerminal, treadle } from '../support/command-line.ts';

const served = async (given: Given) => {
  const { port } = await overHttp(await worldGiven(given));
  return { port, client: createClient({ endpoint: `http://127.0.0.1:${port}` }) };
};

describe('treadle cost', () => {
  it.each(['tenant', 'agent', 'day', 'batch'] as const)('by %s is the answer of the API', async (by) => {
    const { port, client } = await served('counted');
    expect(json(await treadle(port, ['cost', '--by', by, '--json']))).toEqual(await client.costs(by));
  });

  it('shows a table with bars, shares and what is unsettled, in the width that there is', async () => {
    const { port } = await served('counted');
    const { out } = await treadle(port, ['cost', '--by', 'agent']);
    expect(out).toMatch(
      /^agent +jobs +steps +spent +share +unsettled\ntriage +1 +2 +\$0\.\d+ +\[#{20}\] +100\.0 % +\$0\.0000\n/,
    );
    expect(out).toMatch(/\n1 job, 2 steps, \$0\.\d+, \$0\.0000 of it unsettled\n$/);
    const narrow = await treadle(port, ['cost', '--by', 'agent'], { width: 60 });
    expect(Math.max(...narrow.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(narrow.out).toContain('100.0 %');
  });

  it('says beside the sums what has ended and is in none of them yet, to programs too', async () => {
    const { port, client } = await served('succeeded');
    const said = await treadle(port, ['cost', '--by', 'agent']);
    expect(said.err).toMatch(
      /^Nothing is counted yet: .*\n1 of the newest jobs has ended and is in no sum yet: \$0\.0\d+\.\n$/,
    );
    const answer = await client.costs('agent');
    expect(answer.uncounted).toMatchObject({ jobs: 1 });
    expect(json(await treadle(port, ['cost', '--by', 'agent', '--json']))).toEqual(answer);
    const counted = await served('counted');
    expect((await treadle(counted.port, ['cost', '--by', 'agent'])).err).toBe('');
  });

  it('is by agent unless something else is said', async () => {
    const { port } = await served('counted');
    expect(await treadle(port, ['cost'])).toEqual(await treadle(port, ['cost', '--by', 'agent']));
  });

  it('says when nothing is counted', async () => {
    const { port } = await served('nothing');
    expect((await treadle(port, ['cost', '--by', 'moon'])).code).toBe(exitCode.usage);
    const said = await treadle(port, ['cost', '--by', 'day']);
    expect(said).toMatchObject({
      code: exitCode.done,
      out: '',
      err: expect.stringContaining('Nothing is counted'),
    });
  });
});

describe('treadle dlq', () => {
  it('lists dead letters and sends them again, each one once with --all', async () => {
    const { port, client } = await served('dead_letter');
    expect(json(await treadle(port, ['dlq', 'list', '--json']))).toEqual(await client.deadLetters());
    expect((await treadle(port, ['dlq', 'list'])).out).toContain(`${sampleLetterId}  `);
    const sent = await treadle(port, ['dlq', 'redrive', '--all']);
    expect(sent).toMatchObject({ code: exitCode.done, out: `${sampleLetterId}  sent again\n` });
    expect((await client.deadLetters()).items[0]?.redrivenAt).not.toBeNull();
    const again = await treadle(port, ['dlq', 'redrive', '--all', '--json']);
    expect(json(again)).toEqual({ items: [], cursor: null });
    const named = await treadle(port, ['dlq', 'redrive', sampleLetterId, '--json']);
    expect(json(named)).toMatchObject({ items: [{ id: sampleLetterId }] });
  });

  it('needs ids or --all, and names a letter that is not there', async () => {
    const { port } = await served('nothing');
    expect((await treadle(port, ['dlq', 'redrive'])).code).toBe(exitCode.usage);
    expect((await treadle(port, ['dlq', 'redrive', 'x', '--all'])).code).toBe(exitCode.usage);
    expect(await treadle(port, ['dlq', 'redrive', 'absent'])).toMatchObject({
      ...{ code: exitCode.error, err: expect.stringContaining('absent: there is no such dead letter') },
    });
    expect((await treadle(port, ['dlq', 'list'])).err).toBe('No dead letters.\n');
  });
});

describe('treadle stop-all and start-all', () => {
  it('turn the kill switch of the tenant, and say what that means', async () => {
    const { port, client } = await served('queued');
    const stopped = await treadle(port, ['stop-all']);
    expect(stopped.out).toContain('nothing of your tenant is admitted');
    expect(stopped.out).toContain(`treadle start-all --endpoint http://127.0.0.1:${port} lets it go on`);
    expect((await client.health()).stopped).toBe(true);
    const started = await treadle(port, ['start-all', '--json']);
    expect(json(started)).toEqual({ stopped: false, scope: 'tenant' });
    expect((await client.health()).stopped).toBe(false);
  });

  it('ask once on a terminal before everything is stopped', async () => {
    const { port, client } = await served('nothing');
    const asked: string[] = [];
    const ask = (answer: string) => async (question: string) => {
      asked.push(question);
      return answer;
    };
    const kept = await treadle(port, ['stop-all', '--everything'], { ask: ask('n') });
    expect(kept).toMatchObject({ code: exitCode.error, out: '', err: 'Nothing is stopped.\n' });
    expect((await client.health()).stopped).toBe(false);
    const yes = await treadle(port, ['stop-all', '--everything', '--yes', '--json'], { ask: ask('n') });
    expect(json(yes)).toEqual({ stopped: true, scope: 'all' });
    expect(asked).toEqual([expect.stringContaining('every tenant')]);
    const started = await treadle(port, ['start-all', '--everything'], { ask: ask('n') });
    expect(started.out).toContain('stays so until it is started by itself');
  });

  it('say that a permission is missing', async () => {
    const { port } = await served('nothing');
    const refusing: typeof fetch = async () =>
      new Response(JSON.stringify({ type: 'urn:treadle:forbidden', detail: 'scope all needs control_all' }), {
        status: 403,
      });
    const { ask } = await import('../../src/cli/ask/asking.ts');
    const { switchAll } = await import('../../src/cli/ask/control.ts');
    const { terminal } = keptTerminal();
    const wanted = { everything: true, yes: true };
    await expect(
      ask(
        { endpoint: `http://127.0.0.1:${port}`, json: false },
        terminal,
        (asking) => switchAll(asking, 'stop', wanted),
        {
          parts: { send: refusing },
        },
      ),
    ).rejects.toMatchObject({ code: 'refused', message: /control_all; docs\/deploy\.md/ });
  });
});

describe('every command', () => {
  const { terminal } = keptTerminal();
  const root = createProgram(terminal, () => undefined);
  const all = (commands: typeof root.commands, path = ''): readonly string[] =>
    commands.flatMap((command) => [
      `${path}${command.name()}`,
      ...all(command.commands, `${path}${command.name()} `),
    ]);

  it.each(all(root.commands))('%s --help has an example of it', async (path) => {
    const { terminal: kept, said } = keptTerminal();
    const program = createProgram(kept, () => undefined);
    await program.parseAsync([...path.split(' '), '--help'], { from: 'user' }).catch(() => undefined);
    expect(said().out).toMatch(new RegExp(`\nExample:\n.*treadle ${path}`));
  });

  it('that asks a deployment takes --endpoint and --json', () => {
    const named = root.commands.filter(({ options }) => options.some(({ long }) => long === '--endpoint'));
    expect(named.length).toBeGreaterThan(15);
    for (const { options } of named) expect(options.map(({ long }) => long)).toContain('--json');
  });
});
