import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { triage as triageAgent } from '../../src/agents/triage.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { hiddenThere } from '../../src/cli/hidden-there.ts';
import { freeze } from '../../src/core/frozen-agent.ts';
import { privateKinds } from '../../src/core/redact.ts';
import type { ResultRow } from '../../src/tickets/results.ts';
import { treadle } from '../support/command-line.ts';
import { deployment, Killed } from '../support/deployment.ts';

const folder = mkdtempSync(join(tmpdir(), 'treadle-remote-'));
afterAll(() => rmSync(folder, { recursive: true }));
let names = 0;
const newName = (): string => {
  names += 1;
  return join(folder, String(names));
};

function file(...lines: readonly string[]): string {
  const path = `${newName()}.csv`;
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const results = (out: string): readonly ResultRow[] =>
  readFileSync(join(out, 'results.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const statuses = (out: string) => results(out).map(({ id, status }) => [id, status]);

const odd = [
  'id,subject,body,ticket,input.x,Plan',
  'A1,Cup,Where is ORD-1001?,zz,1,gold',
  'B2,,,q,w,silver',
  'C\u200b3,Hi,Where is ORD-1001?,,,x',
  'D4,Only a subject,,,,',
  'E5,,,,,',
  'F6,x,y,,,1,2,3',
];
const refund = 'R1,Refund please,"My order ORD-1006 is lost. Please refund the full amount to my card."';
const parcel = 'P1,Parcel,Where is ORD-1001?';
const two = ['id,subject,body', refund, parcel];

describe('triage --endpoint', () => {
  it('writes each row in the order of the files, whatever its id, its columns or its lack of text', async () => {
    const there = deployment();
    const out = newName();
    const said = await there.run({ files: [file(...odd)], out, json: true });
    expect(said.code).toBe(exitCode.partly);
    const found = results(out);
    expect(
      found.map(({ id, line, steps, duplicateOf, needsReview }) => [
        id,
        line,
        steps > 0,
        duplicateOf,
        needsReview,
      ]),
    ).toEqual([
      ['A1', 2, true, null, false],
      ['B2', 3, false, null, true],
      ['C\u200b3', 4, true, null, false],
      ['D4', 5, true, null, true],
      ['E5', 6, false, null, true],
    ]);
    expect(found[1]?.output).toEqual({ needs_human: true, confidence: 0 });
    expect(found.map(({ jobId }) => jobId?.slice(0, 4))).toEqual(['job_', 'job_', 'job_', 'job_', 'job_']);
    const table = readFileSync(join(out, 'results.csv'), 'utf8').trimEnd().split('\n');
    expect(table[0]).toMatch(/^\ufeffid,subject,line,.*,input\.ticket,input\.input\.x,input\.Plan$/);
    expect(table[1]).toMatch(/^A1,Cup,2,.*,zz,1,gold$/);
    expect(JSON.parse(readFileSync(join(out, 'rejected.jsonl'), 'utf8'))).toMatchObject({ line: 7 });
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('Where is ORD-1001?');
    expect(JSON.parse(said.out)).toMatchObject({
      ...{ read: 6, accepted: 5, rejected: 1, jobs: { succeeded: 5, notStarted: 0 }, out },
      ...{ modelCalls: there.asked(), scripted: false, cost: { budgetUsd: 1 } },
    });
    // Of the texts nothing is in what the command or the deployment says of itself.
    expect(said.err + JSON.stringify(there.world.lines)).not.toMatch(/ORD-1001|Only a subject/);
  });

  it('keeps the order over many pages, and leaves out what was deleted meanwhile', async () => {
    const there = deployment();
    const ids = Array.from({ length: 230 }, (_, n) => `T${n},,`);
    const files = [file('id,subject,body', ...ids, parcel)];
    const out = newName();
    expect((await there.run({ files, out })).code).toBe(exitCode.done);
    expect(results(out).map(({ id }) => id)).toEqual([...Array.from(ids, (_, n) => `T${n}`), 'P1']);
    await there.client.deleteJob(results(out)[7]?.jobId ?? '');
    await there.run({ files, out });
    expect(results(out).filter(({ status }) => status !== 'succeeded')).toMatchObject([{ id: 'T7' }]);
    expect(results(out).at(-1)).toMatchObject({ id: 'P1', status: 'succeeded' });
  });

  it('prints the results of a finished run again at no cost, and begins anew with --fresh', async () => {
    const there = deployment();
    const given = { files: [file('id,body', 'P1,Where is ORD-1001?')], out: newName() };
    await there.run(given);
    const calls = there.asked();
    const again = await there.run(given);
    expect(again.out).toMatch(/^This run was finished before: here are its results again, at no cost\.\n/);
    expect(again.out).toContain('calls    0 model calls in this run');
    expect(there.asked()).toBe(calls);
    await there.run({ ...given, fresh: true });
    expect(there.asked()).toBe(2 * calls);
    expect((await there.client.batches()).items).toHaveLength(2);
  });

  it.each([
    ['the batch was made', 'POST /batches'],
    ['rows were sent', 'POST /batches/ID/rows'],
    ['the batch was closed', 'POST /batches/ID/close'],
    ['it was watched', 'GET /batches/ID'],
  ])('carries on in the same batch after it died once %s', async (_, change) => {
    const there = deployment();
    const given = { files: [file(...two)], out: newName() };
    there.after = (made) => {
      if (made === change) throw new Killed(made);
    };
    await expect(there.run(given)).rejects.toThrow(Killed);
    there.after = () => undefined;
    const asked = there.asked();
    const carriedOn = await there.run(given);
    expect(carriedOn.code).toBe(exitCode.done);
    // Of a batch that was asked for and no more, nothing is known yet.
    if (change === 'POST /batches') expect(carriedOn.err).not.toContain('Carries on');
    else
      expect(carriedOn.err).toMatch(
        /^Carries on with a run begun before: \d of its 2 tickets have ended\.$/m,
      );
    expect(carriedOn.out).toContain(`calls    ${there.asked() - asked} model call`);
    const [batch, ...others] = (await there.client.batches()).items;
    expect(batch).toMatchObject({ rows: 2, counts: { succeeded: 1, awaiting_approval: 1 } });
    expect(others).toEqual([]);
    const calm = deployment();
    await calm.run({ ...given, out: newName() });
    expect(there.asked()).toBe(calm.asked());
  });

  it('says that the same command carries on where sending breaks off', async () => {
    const there = deployment();
    let said = '';
    const err = (text: string): void => {
      said += text;
    };
    there.after = (made) => {
      if (made === 'POST /batches/ID/rows') throw new TypeError('', { cause: { code: 'ECONNRESET' } });
    };
    const given = { files: [file(...two)], out: newName() };
    const refused = { code: 'unreachable', message: expect.stringContaining('(ECONNRESET)') };
    await expect(there.run(given, { terminal: { err } })).rejects.toMatchObject(refused);
    expect(said).toMatch(/^batch_\S+ has the tickets sent so far: the same command carries on\.$/m);
  });

  it('asks a person about the calls that wait, or denies them, and never asks twice', async () => {
    const there = deployment();
    const given = { files: [file(...two)], out: newName() };
    const left = await there.run(given);
    expect(left.code).toBe(exitCode.done);
    expect(left.out).toMatch(
      /^waiting {2}R1: decide with {2}npx --no treadle triage .* --endpoint http:\S+ --out /m,
    );
    expect(statuses(given.out)).toEqual([
      ['R1', 'awaiting_approval'],
      ['P1', 'succeeded'],
    ]);
    expect(readFileSync(join(given.out, 'report.html'), 'utf8')).toContain('amountCents');

    const questions: string[] = [];
    const ask = (answer: string) => async (question: string) => {
      questions.push(question);
      return answer;
    };
    await there.run({ ...given, approvals: 'ask' }, { terminal: { ask: ask('') } });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatch(
      /^\nTicket R1: Refund please\n {2}\| My order ORD-1006 is lost\..*\nasks for issue_refund\n {2}orderId: ORD-1006\n/,
    );
    expect((await there.run(given, { terminal: { ask: ask('y') } })).code).toBe(exitCode.done);
    expect(statuses(given.out)[0]).toEqual(['R1', 'succeeded']);

    const others = { files: [file(...two)], out: newName(), approvals: 'deny' as const };
    await there.run(others);
    expect(statuses(others.out)[0]).toEqual(['R1', 'succeeded']);
    expect(questions).toHaveLength(2);
    const trace = await there.client.steps(results(others.out)[0]?.jobId ?? '');
    expect(JSON.stringify(trace)).toMatch(/declined|denied/);
  });

  it('ends with 4 where the pool kept rows from starting, and goes on with more', async () => {
    const there = deployment();
    const given = { files: [file(...two)], out: newName() };
    const poor = await there.run({ ...given, budgetUsd: 0.000002 });
    expect(poor.code).toBe(exitCode.limited);
    expect(poor.out).toMatch(/^stopped {2}The money of the batch is used up: .* \$0\.000002 is left\.$/m);
    expect((await there.run({ ...given, budgetUsd: 0.5 })).code).toBe(exitCode.done);
    expect(statuses(given.out).map(([, status]) => status)).toEqual(['awaiting_approval', 'succeeded']);
    expect((await there.client.batches()).items).toMatchObject([{ cost: { budgetUsd: 0.5 } }]);
  });

  it('lowers the limits of the agent, and takes higher ones for wrong usage', async () => {
    const there = deployment();
    const given = { files: [file('id,body', 'P1,Where is ORD-1001?')], out: newName() };
    expect((await there.run({ ...given, maxSteps: 1 })).code).toBe(exitCode.limited);
    expect(results(given.out)[0]?.stop?.reason).toBe('max_steps');
    await expect(there.run({ ...given, out: newName(), maxSteps: 13 })).rejects.toMatchObject({
      code: 'usage',
      message: 'limits.maxSteps: may only lower the limit of the agent, which is 12',
    });
  });

  it('refuses other tickets while a run of its folder is not over, and says what --fresh leaves behind', async () => {
    const there = deployment();
    const out = newName();
    await there.run({ files: [file(...two)], out });
    const other = { files: [file('id,body', 'X,Hello')], out };
    await expect(there.run(other)).rejects.toMatchObject({ code: 'unfinished_run' });
    const said = await there.run({ ...other, fresh: true });
    expect(said.err).toMatch(/^The run before was not finished: npx --no treadle batch cancel batch_\S+ /m);
    // One that is over is in nobody's way.
    expect((await there.run({ files: [file('id,body', 'Y,Hello')], out })).code).toBe(exitCode.done);
  });

  it('exits with 130 when it is interrupted, and says what goes on and how to end it', async () => {
    const there = deployment();
    const interrupt = new AbortController();
    const between = async () => interrupt.abort();
    const given = { files: [file(...two)], out: newName() };
    const said = await there.run(given, { interrupt, between });
    expect(said).toMatchObject({ code: exitCode.interrupted, out: '' });
    expect(said.err).toMatch(
      /\nInterrupted; (batch_\S+) goes on without being watched, and npx --no treadle batch cancel \1 ends it\. The same command carries on /,
    );
    expect((await there.run(given)).code).toBe(exitCode.done);
    expect((await there.client.batches()).items).toHaveLength(1);
  });

  it('says once where nothing moves for a minute', async () => {
    const there = deployment();
    const interrupt = new AbortController();
    let looks = 0;
    const between = async () => {
      looks += 1;
      await there.world.clock.advance(30_000);
      if (looks === 6) interrupt.abort();
    };
    const said = await there.run({ files: [file(...two)], out: newName() }, { interrupt, between });
    expect(said.err.match(/nothing has moved for a minute: the pool of the day may be spent/g)).toHaveLength(
      1,
    );
  });

  it('marks what somebody else paused or cancelled', async () => {
    const there = deployment();
    const given = { files: [file(...two)], out: newName() };
    const id = async () => (await there.client.batches()).items[0]?.id ?? '';
    const between = async () => void (await there.client.pauseBatch(await id()));
    const paused = await there.run(given, { between });
    expect(paused.code).toBe(exitCode.limited);
    expect(paused.out).toMatch(
      /^stopped {2}Somebody paused the batch: npx --no treadle batch resume batch_/m,
    );
    await there.client.cancelBatch(await id());
    expect((await there.run(given)).code).toBe(exitCode.partly);
    expect(statuses(given.out).map(([, status]) => status)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('treadle triage --endpoint', () => {
  const tickets = file(...two);
  const run = (...args: readonly string[]) => treadle(9, ['triage', tickets, '--out', newName(), ...args]);

  it.each([
    ['--concurrency', ['--concurrency', '3']],
    ['--agents', ['--agents', 'mine.ts']],
    ['--model-script', ['--model-script', 'a.json']],
  ])('refuses %s, which is for the local stack', async (flag, args) => {
    const { code, err } = await run(...args);
    expect(code).toBe(exitCode.usage);
    expect(err).toMatch(new RegExp(`^treadle: ${flag} is for the local stack: with --endpoint .*\n$`));
  });

  it('says in one sentence that nobody is there', async () => {
    const { code, err } = await run();
    expect(code).toBe(exitCode.error);
    expect(err).toMatch(/^treadle: http:\/\/127\.0\.0\.1:9 cannot be reached.*\n$/);
  });

  it('refuses an agent that the deployment does not have, with the names of those that it has', async () => {
    await expect(
      deployment().run({ files: [tickets], out: newName(), agent: 'nobody' }),
    ).rejects.toMatchObject({
      code: 'unknown_agent',
      message: '--agent nobody: there is no such agent; there are: triage',
    });
  });

  it('shows with --preview how files are read, and asks nobody', async () => {
    const { code, out } = await run('--preview', '--agent', 'theirs', '--json');
    expect(code).toBe(exitCode.done);
    expect(JSON.parse(out)).toMatchObject({ accepted: 2 });
  });
});

describe('what a report of a deployment hides', () => {
  const { world } = deployment();
  it.each([
    [
      'a shipped agent of this very version',
      'triage',
      world.ids.hash(freeze(triageAgent)),
      ['card', 'iban', 'key'],
    ],
    ['another version of it', 'triage', 'other', privateKinds],
    ['an agent that is not known here', 'theirs', 'other', privateKinds],
  ])('of %s', (_, name, version, kinds) => {
    expect(hiddenThere(name, version)).toEqual(kinds);
  });
});
