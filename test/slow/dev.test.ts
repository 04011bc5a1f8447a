import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError, type Batch, type Client, type Job } from '../../src/client.ts';
import { type Dev, runDev } from './dev-process.ts';
import { cleanEnvironment, fuzz, newFolder, projectFile, start } from './processes.ts';

const begun: Dev[] = [];
afterEach(async () => {
  for (const dev of begun.splice(0)) await dev.kill();
});

async function startDev(...args: Parameters<typeof runDev>): Promise<Dev> {
  const dev = await runDev(...args);
  begun.push(dev);
  return dev;
}

const soon = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function jobWhen(client: Client, id: string, is: (job: Job) => boolean): Promise<Job> {
  for (let looks = 0; looks < 1_000; looks += 1) {
    const job = await client.job(id);
    if (is(job)) return job;
    await soon(50);
  }
  throw new Error(`job ${id} does not get on`);
}

/** In bad weather a reading may be answered by "try again". */
const unlessBusy = <Answer>(asked: Promise<Answer>): Promise<Answer | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 503) return undefined;
    throw error;
  });

async function batchWhen(client: Client, id: string, is: (batch: Batch) => boolean): Promise<Batch> {
  for (let looks = 0; looks < 2_500; looks += 1) {
    const batch = await unlessBusy(client.batch(id));
    if (batch === undefined) continue;
    const sum = Object.values(batch.counts).reduce((total, count) => total + count, 0);
    expect(sum, JSON.stringify(batch)).toBe(batch.rows);
    if (is(batch)) return batch;
    await soon(100);
  }
  throw new Error(`batch ${id} does not get on`);
}

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `t${n}`, input: `Ticket ${n}: where is my parcel?` }));

describe('treadle dev', () => {
  it('answers whatever is sent, and never with a fault of its own', async () => {
    const { api } = await startDev([]);
    const { code, text } = await fuzz(api, 600);
    expect({ code, text: code === 0 ? '' : text.slice(-2_000) }).toEqual({ code: 0, text: '' });
  });

  it('says in one sentence that its port is taken', async () => {
    const { api } = await startDev([]);
    const { port } = new URL(api);
    const { code, stderr, stdout } = await start(['dev', '--port', port], cleanEnvironment()).finished;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `treadle: port ${port} is taken by another program; choose another one with --port, or any free one with --port 0\n`,
    );
  });

  it('ends with 0 on Ctrl-C', async () => {
    const { running } = await startDev([]);
    running.child.kill('SIGINT');
    expect((await running.finished).code).toBe(0);
  });

  it('refuses what a web page can send: another host name, another origin', async () => {
    const { api } = await startDev([]);
    const { port } = new URL(api);
    const status = (headers: Readonly<Record<string, string>>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = request({ port, path: '/agents', headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asked.once('error', reject).end();
      });
    expect(await status({})).toBe(200);
    expect(await status({ host: `rebound.example:${port}` })).toBe(403);
    expect(await status({ origin: 'https://evil.example' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
  });
});

describe('a batch on dev', () => {
  it('that was killed with everything around it is carried on: nothing lost, nothing doubled', async () => {
    const data = join(newFolder(), 'state');
    const model = ['--model-script', projectFile('scripts/load/model.json')];
    const agents = ['--agents', projectFile('scripts/load/agents.ts')];
    const first = await startDev(['--data', data, ...model, ...agents]);
    const { id } = await first.client.submitBatch({ agent: 'one-step', rows: rowsOf(120), budgetUsd: 5 });
    await batchWhen(first.client, id, ({ counts }) => counts.succeeded >= 10);
    first.running.child.kill('SIGKILL');
    await first.running.finished;
    const second = await startDev(['--data', data, ...model, ...agents]);
    const batch = await batchWhen(second.client, id, ({ status }) => status === 'done');
    expect(batch.counts).toMatchObject({ succeeded: 120, rejected: 0 });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<Client['results']>> = await second.client.results(id, {
        limit: 50,
        ...(cursor === null ? {} : { cursor }),
      });
      for (const result of page.items) {
        seen.push(result.id);
        expect(result).toMatchObject({ steps: 1, text: 'Noted.' });
      }
      cursor = page.cursor;
    } while (cursor !== null);
    expect(seen).toEqual(rowsOf(120).map((row) => row.id));
  });

  it('gets through bad weather: workers that die, messages twice, answers lost', async () => {
    const { client } = await startDev([
      ...['--chaos', 'crash=0.1,duplicate=0.1,lost-answer=0.03,throttle=0.03', '--seed', '7'],
      ...['--model-script', projectFile('scripts/load/model.json')],
      ...['--agents', projectFile('scripts/load/agents.ts')],
    ]);
    const { id } = await client.submitBatch({ agent: 'one-step', rows: rowsOf(24), budgetUsd: 5 });
    const { counts, cost } = await batchWhen(client, id, ({ status }) => status === 'done');
    expect(cost.spentUsd).toBeLessThanOrEqual(5);
    // Each death in the middle of a call leaves its reserve unsettled: a job that meets some in a row has no money left.
    const { items: stopped } = await client.jobs({ batch: id, status: 'stopped' });
    expect(counts.succeeded + stopped.length).toBe(24);
    for (const { stop, cost: spent } of stopped) {
      expect(stop?.reason).toBe('cost_ceiling');
      expect(spent.unsettledUsd).toBeGreaterThan(spent.ceilingUsd / 2);
    }
    expect(stopped.length).toBeLessThan(6);
    // Who meets a dead worker waits until its message is seen again: a few in a row take minutes.
  }, 300_000);
});

describe('field cases over HTTP', () => {
  it('H-H4: a cancel at any moment after the submission is answered as the job then is, and nothing goes on after it', async () => {
    const { client, calls } = await startDev([]);
    const submitted = Array.from({ length: 100 }, async (_, n) => {
      const { id } = await client.submit({ agent: 'triage', input: `Ticket ${n}: where is my parcel?` });
      await soon((n * 7) % 21);
      const answered = await client.cancel(id).catch((error: { readonly status: number }) => error);
      return { id, answered };
    });
    const all = await Promise.all(submitted);
    for (const { id, answered } of all) {
      const job = await jobWhen(client, id, ({ finishedAt }) => finishedAt !== null);
      if (answered.status === 409) expect(job.status).not.toBe('cancelled');
      else expect(job.status).toBe('cancelled');
    }
    const before = (await calls()).length;
    await soon(1_500);
    expect((await calls()).length).toBe(before);
  });

  it('H-S2: no secret of a ticket or a header stands in any log, metric or error', async () => {
    const dev = await startDev([]);
    const csv = readFileSync(projectFile('test/field/inputs/hostile_tickets.csv'), 'utf8');
    const token = 'canary-token-5f2e';
    const answer = await fetch(`${dev.api}/batches?agent=triage`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv', authorization: `Bearer ${token}` },
      body: csv,
    });
    expect(answer.status).toBe(202);
    const { id, rows } = (await answer.json()) as Batch;
    expect(rows).toBeGreaterThan(0);
    await batchWhen(dev.client, id, ({ counts }) => counts.queued + counts.running === 0);
    for (const path of ['/jobs/none', '/batches?agent=none', '/jobs']) {
      await fetch(`${dev.api}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'text/csv', authorization: `Bearer ${token}` },
        body: csv,
      });
    }
    const secrets = [
      token,
      ...(csv.match(/\b(?:\d[ -]?){13,19}\b|[A-Z]{2}\d{2}[A-Z0-9 ]{11,30}|sk-[\w-]+/g) ?? []),
    ];
    expect(secrets.length).toBeGreaterThan(3);
    for (const secret of secrets) expect(dev.logs()).not.toContain(secret);
    expect(dev.logs()).toContain('"route":"/batches"');
  });
});
