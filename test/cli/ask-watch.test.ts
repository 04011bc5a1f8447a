import { describe, expect, it } from 'vitest';
import { sampleBatchId } from '../../src/api/batch-samples.ts';
import type { Given } from '../../src/api/route.ts';
import { sampleJobId } from '../../src/api/samples.ts';
import { stopReasons } from '../../src/api/schemas/job.ts';
import { ask } from '../../src/cli/ask/asking.ts';
import { createRest } from '../../src/cli/ask/at-rest.ts';
import { createBoard } from '../../src/cli/ask/board.ts';
import { codeOfJob } from '../../src/cli/ask/ends.ts';
import { jobPicture } from '../../src/cli/ask/job-picture.ts';
import { watch } from '../../src/cli/ask/watch.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { createBar } from '../../src/cli/progress.ts';
import { type Batch, createClient, type Job } from '../../src/client.ts';
import { worldGiven } from '../api/given.ts';
import { overHttp } from '../api/senders.ts';
import { json, keptTerminal, treadle } from '../support/command-line.ts';
import { handleOne, runUntilIdle, VISIBILITY_MS } from '../support/drive.ts';
import { callsModel } from '../support/fake-model.ts';

const served = async (given: Given) => {
  const world = await worldGiven(given);
  const { port } = await overHttp(world);
  const endpoint = `http://127.0.0.1:${port}`;
  return { world, port, endpoint, client: createClient({ endpoint }) };
};

describe('treadle watch', () => {
  it.each<[Given, number, string, string]>([
    ['succeeded', exitCode.done, 'succeeded', ''],
    ['awaiting_approval', exitCode.done, 'awaiting approval', `treadle approve ${sampleJobId} call_1_0`],
    ['stopped', exitCode.limited, 'stopped: max_steps', `treadle extend ${sampleJobId} --add-steps 4 `],
  ])('of a job that is %s ends at once with code %i, and says what to do', async (given, code, out, err) => {
    const { port } = await served(given);
    const said = await treadle(port, ['watch', sampleJobId]);
    expect(said).toMatchObject({
      code,
      out: expect.stringContaining(out),
      err: expect.stringContaining(err),
    });
  });

  it('of a job that was cancelled ends with code 3, and prints the job for programs', async () => {
    const { port, client } = await served('queued');
    const job = await client.cancel(sampleJobId);
    const said = await treadle(port, ['watch', sampleJobId, '--json']);
    expect({ ...said, out: json(said) }).toEqual({ code: exitCode.partly, out: job, err: '' });
  });

  it('redraws a job on a terminal until it ends, and leaves only the result', async () => {
    const { port, client } = await served('queued');
    const shown: string[] = [];
    let drawn: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      drawn = resolve;
    });
    const watching = treadle(port, ['watch', sampleJobId], {
      live: true,
      width: 60,
      err: (text) => {
        shown.push(text);
        drawn();
      },
    });
    await first;
    expect(shown[0]).toMatch(/^job_\S+ {2}triage {2}1001\nsteps {2}\[\.{24}\] 0 of at most 6\nmoney {2}\[/);
    expect(shown[0]).toMatch(/now {4}step 1 waits in the queue, for \d/);
    await client.cancel(sampleJobId);
    const said = await watching;
    expect(said.code).toBe(exitCode.partly);
    expect(said.out).toMatch(/^job_\S+ {2}triage {2}cancelled {2}/);
    expect(shown.at(-1)).toBe('\u001b[4A\r\u001b[J');
  });

  it('ends with 130 when it is interrupted, and says that the job goes on', async () => {
    const { endpoint } = await served('queued');
    const interrupt = new AbortController();
    const { terminal, said } = keptTerminal({
      err: (text) => {
        if (text.includes('waits in the queue')) interrupt.abort();
      },
    });
    const code = await ask({ endpoint, json: false }, terminal, (asking) => watch(asking, sampleJobId), {
      parts: { interrupt },
    });
    expect(code).toBe(exitCode.interrupted);
    expect(said().out).toBe('');
  });

  it('of a batch ends when it has ended, or when it is paused and nothing runs', async () => {
    const { port } = await served('batch_done');
    const done = await treadle(port, ['watch', sampleBatchId]);
    expect(done.code).toBe(exitCode.done);
    expect(done.out).toMatch(/^batch_\S+ {2}triage {2}done\nrows {3}\[#{24}\] (\d+) of \1 ended\nmoney {2}/);
    const paused = await served('batch_paused');
    const said = await treadle(paused.port, ['watch', sampleBatchId, '--json']);
    expect(said.code).toBe(exitCode.limited);
    expect(json(said)).toMatchObject({ id: sampleBatchId, status: 'paused' });
  });

  it('of a batch of jobs that a limit stopped ends with code 4', async () => {
    const { port, client, world } = await served('stopped');
    const { id } = await client.submitBatch({
      ...{ agent: 'triage', rows: [{ id: 'a', input: 'x' }], limits: { maxSteps: 1 } },
    });
    await runUntilIdle(world);
    expect((await client.batch(id)).counts).toMatchObject({ stopped: 1 });
    expect((await treadle(port, ['watch', id])).code).toBe(exitCode.limited);
  });

  it('looks again where an answer fails for a moment, and gives up where nothing ever answered', async () => {
    const { endpoint, client } = await served('queued');
    let failures = 2;
    const send: typeof fetch = async (input, init) => {
      if (asked++ > 0 && failures-- > 0) return new Response('{}', { status: 503 });
      if (failures <= 0) await client.cancel(sampleJobId);
      return fetch(input, init);
    };
    let asked = 0;
    const clock = { now: Date.now, sleep: async () => undefined };
    const { terminal } = keptTerminal();
    const code = await ask({ endpoint, json: false }, terminal, (asking) => watch(asking, sampleJobId), {
      parts: { send, clock },
    });
    expect({ code, failures }).toEqual({ code: exitCode.partly, failures: -1 });
  });
});

it('a job that the model turned away says when it asks again, and after that that it is queued', async () => {
  const { client, world } = await served('queued');
  const { model } = callsModel([
    { type: 'wait', billed: 'no', retryAfterMs: 60_000, problem: '429 rate_limit_error' },
  ]);
  for (const message of world.queue.receive(1, VISIBILITY_MS)) await handleOne({ ...world, model }, message);
  const job = await client.job(sampleJobId);
  expect(Date.parse(job.waitsUntil ?? '')).toBeGreaterThanOrEqual(world.clock.now() + 60_000);
  expect(jobPicture(job, world.clock.now()).text).toMatch(/ step 1 waits to ask the model again in 1 min: /);
  expect(jobPicture(job, Date.parse(job.waitsUntil ?? '')).text).toContain('step 1 waits in the queue: ');
});

describe('the exit code of a job', () => {
  const four = ['max_steps', 'cost_ceiling', 'token_budget', 'deadline', 'pool_exhausted'];
  it.each(stopReasons)('that ended by %s is that of the contract', (reason) => {
    const status = reason === 'completed' ? 'succeeded' : reason === 'cancelled' ? 'cancelled' : 'stopped';
    const job = { status, stop: { reason, message: '', resumable: false } } as unknown as Job;
    const expected = reason === 'completed' ? exitCode.done : exitCode.partly;
    expect(codeOfJob(job)).toBe(four.includes(reason) ? exitCode.limited : expected);
  });
});

describe('a batch is at rest', () => {
  const batch = (status: string, counts: object, reservedUsd = 0): Batch =>
    ({
      ...{ status, cost: { spentUsd: 0, reservedUsd } },
      counts: { queued: 0, running: 0, awaiting_approval: 0, ...counts },
    }) as unknown as Batch;

  it.each<[string, Batch, readonly boolean[]]>([
    ['at once when it is done', batch('done', {}), [true]],
    ['at once when it is cancelled', batch('cancelled', {}), [true]],
    ['not while a job runs', batch('paused', { running: 1 }), [false, false, false]],
    ['at the second look when it is paused', batch('paused', { queued: 3 }), [false, true]],
    [
      'not when it is paused before an admitted job has run',
      batch('paused', { queued: 3 }, 0.1),
      [false, false],
    ],
    [
      'at the second look when all that is left waits',
      batch('running', { awaiting_approval: 2 }, 0.1),
      [false, true],
    ],
    ['not while more rows may come', batch('open', { awaiting_approval: 2 }), [false, false, false]],
    ['not while rows are to start', batch('running', { queued: 1 }), [false, false, false]],
    [
      'after ten quiet seconds when waiting jobs hold all places',
      batch('running', { queued: 1, awaiting_approval: 2 }),
      [false, false, true],
    ],
  ])('%s', (_what, seen, expected) => {
    let nowMs = 0;
    const atRest = createRest(() => nowMs);
    const looks = expected.map(() => {
      const look = atRest(seen);
      nowMs += 5_000;
      return look;
    });
    expect(looks).toEqual(expected);
  });
});

describe('what is watched', () => {
  it('is a plain line every two seconds at most where nothing can be redrawn', () => {
    let nowMs = 0;
    const { terminal, said } = keptTerminal();
    const board = createBoard(terminal, () => nowMs);
    for (const text of ['a', 'b', 'c', 'c', 'd']) {
      board.show({ lines: ['x'], text });
      nowMs += 1_000;
    }
    board.end();
    expect(said().err).toBe('a\nc\nd\n');
  });

  it('takes one line for each of its lines on a narrow terminal', () => {
    const { terminal, said } = keptTerminal({ live: true, width: 12 });
    const board = createBoard(terminal, () => 0);
    board.show({ lines: ['name  日本語のチケット', 'short'], text: '' });
    board.show({ lines: ['b'], text: '' });
    expect(said().err).toBe('name  日本…\nshort\n\u001b[2A\r\u001b[Jb\n');
  });

  it('has the width of the stream it is drawn on, as it is at the moment', () => {
    let errWidth = 12;
    const { terminal, said } = keptTerminal({ live: true, width: Number.POSITIVE_INFINITY });
    const board = createBoard(
      Object.defineProperty({ ...terminal }, 'errWidth', { get: () => errWidth }),
      () => 0,
    );
    board.show({ lines: ['0123456789abcdef', 'b'], text: '' });
    errWidth = 6;
    board.show({ lines: ['0123456789'], text: '' });
    // Eleven columns are two rows of a window of six.
    expect(said().err).toBe('0123456789…\nb\n\u001b[3A\r\u001b[J0123…\n');
  });

  it('is a line that keeps within the terminal where tickets are counted, its bar given up first', () => {
    const { terminal, said } = keptTerminal({ live: true, errWidth: 40 });
    const progress = createBar(terminal, false, () => 0);
    progress.show({ done: 1, of: 4, text: '1 of 4', last: false });
    progress.show({ done: 1, of: 4, text: '1 of 4 tickets, 2 running', last: false });
    progress.show({ done: 1, of: 4, text: '1 of 4 tickets, 2 running, 3 waiting for a person', last: false });
    expect(said().err.split('\r\u001b[K').slice(1)).toEqual([
      ...['[######..................] 1 of 4', '1 of 4 tickets, 2 running'],
      '1 of 4 tickets, 2 running, 3 waiting f…',
    ]);
  });
});
