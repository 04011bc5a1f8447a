import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { sampleJobId } from '../../src/api/samples.ts';
import * as job from '../../src/api/schemas/job.ts';
import * as operations from '../../src/api/schemas/operations.ts';
import * as choices from '../../src/cli/ask/choices.ts';
import { extendCommand } from '../../src/cli/ask/extend-job.ts';
import { LOCAL } from '../../src/cli/endpoint.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { createClient, type Job, type StopReason } from '../../src/client.ts';
import { worldGiven } from '../api/given.ts';
import { overHttp } from '../api/senders.ts';
import { json, treadle } from '../support/command-line.ts';
import { runUntilIdle } from '../support/drive.ts';

const served = async (given: Parameters<typeof worldGiven>[0]) => {
  const world = await worldGiven(given);
  const { port } = await overHttp(world);
  return { world, port, client: createClient({ endpoint: `http://127.0.0.1:${port}` }) };
};

const file = (text: string | Uint8Array): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'treadle-')), 'input.json');
  writeFileSync(path, text);
  return path;
};

describe('treadle submit', () => {
  it('prints the job as the API has it, and with the same key the same job', async () => {
    const { port, client } = await served('nothing');
    const args = [
      'submit',
      'Where is ORD-1001?',
      '--key',
      'k1',
      '--max-steps',
      '3',
      '--metadata',
      'ticket=T-1',
    ];
    const first = await treadle(port, [...args, '--json']);
    const job = (await client.jobs()).items[0];
    expect({ code: first.code, job: json(first) }).toEqual({ code: exitCode.done, job });
    expect(job).toMatchObject({
      input: 'Where is ORD-1001?',
      limits: { maxSteps: 3 },
      metadata: { ticket: 'T-1' },
    });
    const again = await treadle(port, args);
    expect(again.out).toMatch(new RegExp(`^${job?.id} {2}triage {2}queued {2}step 0 of at most 3, `));
    expect((await client.jobs()).items).toHaveLength(1);
  });

  it('takes a file, an object as one', async () => {
    const { port, client } = await served('nothing');
    expect((await treadle(port, ['submit', '--file', file('{"b":1,"a":[2]}')])).code).toBe(exitCode.done);
    expect((await treadle(port, ['submit', '--file', file('{"b":1')])).code).toBe(exitCode.done);
    expect((await client.jobs()).items.map(({ input }) => input)).toEqual(['{"b":1', '{"a":[2],"b":1}']);
  });

  it.each<[string, number, readonly string[], string]>([
    ['neither a text nor a file', exitCode.usage, [], 'as one argument, or from --file'],
    ['both', exitCode.usage, ['text', '--file', 'x'], 'as one argument, or from --file'],
    [
      'a file that is not there',
      exitCode.usage,
      ['--file', 'absent.txt'],
      'absent.txt: there is no such file',
    ],
    [
      'bytes that are no text',
      exitCode.error,
      ['--file', file(Uint8Array.of(0xff, 0xfe, 0x41))],
      'not UTF-8',
    ],
    ['an unknown agent', exitCode.usage, ['x', '--agent', 'nobody'], 'the agents are: triage'],
    ['a limit above the agent’s', exitCode.usage, ['x', '--max-steps', '99'], 'limits.maxSteps'],
    ['a limit that is no number', exitCode.usage, ['x', '--max-steps', 'many'], 'expected a whole number'],
    ['metadata without a name', exitCode.usage, ['x', '--metadata', '=1'], 'expected name=value'],
    ['an option that is not there', exitCode.usage, ['x', '--bogus'], "unknown option '--bogus'"],
  ])('refuses %s with code %i', async (_what, code, args, words) => {
    const { port } = await served('nothing');
    const said = await treadle(port, ['submit', ...args]);
    expect(said).toMatchObject({ code, out: '' });
    expect(said.err).toContain(words);
  });

  it('refuses another body under a key that is taken, and a day that is spent, with the words of the API', async () => {
    const { port, world } = await served('nothing');
    await treadle(port, ['submit', 'one', '--key', 'k']);
    const other = await treadle(port, ['submit', 'two', '--key', 'k']);
    expect(other.code).toBe(exitCode.error);
    expect(other.err).toBe('treadle: this Idempotency-Key was used for another body\n');
    const { port: poor } = await overHttp({ ...world, dailyMicroUsd: 1 });
    const spent = await treadle(poor, ['submit', 'three']);
    expect(spent.code).toBe(exitCode.error);
    expect(spent.err).toContain('midnight UTC');
  });
});

describe('treadle jobs', () => {
  it('prints one document of the API for programs, whole with --all', async () => {
    const { port, client } = await served('succeeded');
    for (let n = 0; n < 4; n += 1) await client.submit({ agent: 'triage', input: `n${n}` });
    const page = await treadle(port, ['jobs', '--limit', '2', '--json']);
    expect(json(page)).toEqual(await client.jobs({ limit: 2 }));
    const all = await treadle(port, ['jobs', '--all', '--json']);
    expect(json(all)).toEqual(await client.jobs());
    const none = await treadle(port, ['jobs', '--status', 'failed', '--json']);
    expect(json(none)).toEqual({ items: [], cursor: null });
  });

  it('shows a table, filters it, and says how to go on', async () => {
    const { port, client } = await served('stopped');
    for (let n = 0; n < 3; n += 1) await client.submit({ agent: 'triage', input: `n${n}` });
    const stopped = await treadle(port, ['jobs', '--stop', 'max_steps']);
    expect(stopped.out).toMatch(/^job +ticket +agent +status +steps +spent +of +age\n/);
    expect(stopped.out).toContain(`${sampleJobId}  1001    triage  stopped: max_steps`);
    expect(stopped.out.trim().split('\n')).toHaveLength(2);
    const some = await treadle(port, ['jobs', '--limit', '2']);
    const cursor = /--cursor (\S+)/.exec(some.err)?.[1] ?? '';
    const rest = await treadle(port, ['jobs', '--cursor', cursor]);
    expect(rest.out).toContain(sampleJobId);
    expect((await treadle(port, ['jobs', '--status', 'failed'])).err).toBe('No jobs.\n');
  });

  it.each([60, 100])(
    'lines scripts of every width up in %i columns, and lets no control code through',
    async (width) => {
      const { port, client } = await served('nothing');
      const tickets = ['返金のお願い', 'คำขอเงินคืน', '\u001b[2Jred\u0007', '\u202edesrever', 'plain'];
      for (const ticket of tickets)
        await client.submit({ agent: 'triage', input: 'x', metadata: { ticket } });
      const { out } = await treadle(port, ['jobs'], { width });
      const lines = out.trimEnd().split('\n');
      expect(lines).toHaveLength(6);
      // The age is the last column, to the right: every line ends where the header does.
      expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
      expect(stringWidth(lines[0] ?? '')).toBeLessThanOrEqual(width);
      expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
      expect(lines[1]).toMatch(/^job_\S{16,} /);
    },
  );

  it('name a row by its own ticket, else by the id of the row, as trace does', async () => {
    const { port, client, world } = await served('batch_done');
    const rows = [
      { id: 'ROW-1', input: 'x', metadata: { ticket: 'TICKET-9' } },
      { id: 'ROW-2', input: 'y' },
      { id: 'ROW-3', input: 'z', metadata: { ticket: 17 } },
    ];
    const { id } = await client.submitBatch({ agent: 'triage', rows });
    await runUntilIdle(world);
    const { out } = await treadle(port, ['jobs', '--batch', id]);
    const tickets = out.split('\n').slice(1, -1);
    expect(tickets.map((line) => line.split(/ +/)[1])).toEqual(['17', 'ROW-2', 'TICKET-9']);
    const [, second] = (await client.jobs({ batch: id })).items;
    expect((await treadle(port, ['trace', second?.id ?? ''])).out).toContain('  ticket     ROW-2\n');
  });

  it('colours how a job stands only where colours are wanted', async () => {
    const { port } = await served('stopped');
    expect((await treadle(port, ['jobs'], { color: true })).out).toContain('\u001b[31mstopped: max_steps');
    expect((await treadle(port, ['jobs'])).out).not.toContain('\u001b');
  });

  it('takes a filter that is none, and a cursor that is none, for wrong usage', async () => {
    const { port } = await served('nothing');
    for (const args of [
      ['--status', 'done'],
      ['--stop', 'bored'],
      ['--limit', '0'],
      ['--cursor', '!'],
    ]) {
      expect((await treadle(port, ['jobs', ...args])).code).toBe(exitCode.usage);
    }
    const said = await treadle(port, ['jobs', '--batch', 'batch_x']);
    expect(said).toMatchObject({ code: exitCode.error, err: expect.stringContaining('treadle batch list') });
  });

  it('knows the filters of the API', () => {
    expect(choices.jobStatuses).toEqual(job.statuses);
    expect(choices.stopReasons).toEqual(job.stopReasons);
    expect(choices.costKeys).toEqual(operations.costKeys);
  });
});

describe('treadle trace', () => {
  it('shows each step with its time, money and calls, and how the job ended', async () => {
    const { port } = await served('succeeded');
    const { out, code } = await treadle(port, ['trace', sampleJobId]);
    expect(code).toBe(exitCode.done);
    expect(out).toContain(`${sampleJobId}  triage  succeeded`);
    expect(out).toContain('  ticket     1001\n');
    expect(out.match(/^step \d .* tool_use$/gm)).toHaveLength(2);
    expect(out).toMatch(/^ {2}time {7}\[.{24}\] queue \d+, model \d+, tools \d+, engine \d+ ms$/m);
    expect(out).toMatch(
      /^ {2}money {6}\[#+\.+\] \$0\.0\d+, \$0\.0\d+ was held; \$0\.0\d+ so far of \$0\.0200$/m,
    );
    expect(out).toMatch(/^ {2}call {7}get_order \{"orderId":"ORD-1001"\} {2}\(pure, \d+ ms\)\n {13}→ \{/m);
    expect(out).toMatch(/^ {2}end {8}completed: /m);
    expect(out).toMatch(/^ {2}output {5}\{"category":"refund"/m);
  });

  it('says how long nothing went on before a step, where that was long', async () => {
    const { port, world, client } = await served('awaiting_approval');
    await world.clock.advance(60_000);
    await client.decide(sampleJobId, 'call_1_0', { decision: 'approve' });
    await runUntilIdle(world, { maxMessages: 40 });
    const { out } = await treadle(port, ['trace', sampleJobId]);
    expect(out.match(/^ {2}waited .*$/gm)).toEqual([
      expect.stringMatching(/^ {2}waited {5}60\.\d s before it, for a person$/),
    ]);
  });

  it('prints the steps for programs', async () => {
    const { port, client } = await served('succeeded');
    const said = await treadle(port, ['trace', sampleJobId, '--json']);
    expect(json(said)).toEqual(await client.steps(sampleJobId));
  });

  it('marks calls that failed, and keeps every line within a narrow terminal', async () => {
    const { port, world, client } = await served('awaiting_approval');
    await client.decide(sampleJobId, 'call_1_0', { decision: 'deny', reason: '\u001b[31mNo\u0007' });
    await runUntilIdle(world, { maxMessages: 40 });
    const { out } = await treadle(port, ['trace', sampleJobId], { width: 60, color: true });
    expect(out).toContain('\u001b[31m  FAILED');
    const plain = (await treadle(port, ['trace', sampleJobId], { width: 60 })).out;
    expect(plain.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    const widths = plain
      .split('\n')
      .filter((line) => line.startsWith('  '))
      .map((line) => stringWidth(line));
    expect(Math.max(...widths)).toBeLessThanOrEqual(60);
  });
});

describe('a command that changes a job', () => {
  it('extends one that a limit stopped, and says how it stands then', async () => {
    const { port, client } = await served('stopped');
    const nothing = await treadle(port, ['extend', sampleJobId]);
    expect(nothing).toEqual({
      ...{ code: exitCode.usage, out: '' },
      err: `treadle: ${sampleJobId}: extend takes --add-usd, --add-steps, --add-tokens or --add-seconds; max_steps stopped it: npx --no treadle extend ${sampleJobId} --add-steps 4 --endpoint http://127.0.0.1:${port}\n`,
    });
    const said = await treadle(port, [
      'extend',
      sampleJobId,
      '--add-steps',
      '3',
      '--add-usd',
      '0.01',
      '--json',
    ]);
    expect(json(said)).toEqual(await client.job(sampleJobId));
    expect(json(said)).toMatchObject({ status: 'queued', limits: { maxSteps: 4, maxCostUsd: 0.03 } });
  });

  it.each<[StopReason, string]>([
    ['max_steps', ' --add-steps 12'],
    ['cost_ceiling', ' --add-usd 0.25'],
    ['pool_exhausted', ' --add-usd 0.25'],
    ['token_budget', ' --add-tokens 200000'],
    ['deadline', ' --add-seconds 86400'],
    ['consecutive_failures', ''],
  ])('names what lets a job go on that %s stopped', (reason, option) => {
    const limits = { maxSteps: 12, maxCostUsd: 0.25, maxTokens: 200_000, timeoutSeconds: 86_400 };
    const stopped = { id: 'job_1', stop: { reason }, limits } as unknown as Job;
    expect(extendCommand(stopped, LOCAL)).toMatch(new RegExp(`treadle extend job_1${option}$`));
  });

  it('extend of a job that nothing stopped names the options alone', async () => {
    const { port } = await served('queued');
    const { code, err } = await treadle(port, ['extend', sampleJobId]);
    expect({ code, err }).toEqual({
      code: exitCode.usage,
      err: `treadle: ${sampleJobId}: extend takes --add-usd, --add-steps, --add-tokens or --add-seconds\n`,
    });
  });

  it('what the hint of a stopped job says can be run as it stands', async () => {
    const { port } = await served('stopped');
    const { err } = await treadle(port, ['watch', sampleJobId]);
    const [, words = ''] = /treadle (extend .*) --endpoint/.exec(err) ?? [];
    expect((await treadle(port, words.split(' '))).out).toContain('queued  step 1 of at most 5');
  });

  it('retries and cancels', async () => {
    const { port } = await served('stopped');
    const retried = await treadle(port, ['retry', sampleJobId, '--from-step', '1', '--json']);
    expect(json(retried)).toMatchObject({ id: sampleJobId, status: 'queued' });
    const cancelled = await treadle(port, ['cancel', sampleJobId]);
    expect(cancelled).toMatchObject({ code: exitCode.done, out: expect.stringContaining('cancelled') });
  });

  it('deletes once a person on a terminal agrees, or at once with --yes or in a pipe', async () => {
    const { port, client } = await served('succeeded');
    const questions: string[] = [];
    const answers = (answer: string) => async (question: string) => {
      questions.push(question);
      return answer;
    };
    const kept = await treadle(port, ['delete', sampleJobId], { ask: answers('') });
    expect(kept).toMatchObject({ code: exitCode.error, err: 'Nothing is deleted.\n' });
    expect((await client.job(sampleJobId)).input).not.toBe('');
    const deleted = await treadle(port, ['delete', sampleJobId], { ask: answers('y') });
    expect(deleted).toMatchObject({ code: exitCode.done, out: expect.stringContaining('deleted') });
    expect(await treadle(port, ['delete', sampleJobId, '--yes', '--json'], { ask: answers('') })).toEqual({
      ...{ code: exitCode.done, out: '', err: '' },
    });
    expect(questions).toHaveLength(2);
    expect((await client.job(sampleJobId)).input).toBe('');
  });

  it.each([
    [
      'cancel',
      ['job_absent'],
      'job_absent: there is no such job; npx --no treadle jobs --endpoint http://127.0.0.1:',
    ],
    ['trace', ['job_absent'], 'there is no such job'],
    ['watch', ['job_absent'], 'there is no such job'],
    ['cancel', [sampleJobId], `${sampleJobId}: the job has ended: succeeded`],
    ['retry', [sampleJobId], 'cannot be retried'],
    ['extend', [sampleJobId, '--add-steps', '1'], sampleJobId],
  ])('%s %j is refused with the reason of the API, and code 1', async (command, args, words) => {
    const { port } = await served('succeeded');
    const said = await treadle(port, [command, ...args]);
    expect(said).toMatchObject({ code: exitCode.error, out: '' });
    expect(said.err).toContain(words);
    expect(said.err.trim().split('\n')).toHaveLength(1);
  });
});

describe('an endpoint', () => {
  it('where nothing listens is said at once, with what to do', async () => {
    const said = await treadle(9, ['jobs']);
    expect(said).toMatchObject({
      code: exitCode.error,
      err: expect.stringContaining('start it with npx --no treadle dev, or'),
    });
  });
});
