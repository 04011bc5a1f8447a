import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { zipFolder } from '../../../scripts/size/zip.ts';
import { type Bundled, bundleFunctions } from '../../../src/bundle.ts';
import { synthesise } from '../../infra/synthesised.ts';
import { type ModelServer, newFolder, projectFile, startModel } from '../processes.ts';
import { type Account, openAccount } from './account.ts';
import { secretOfTheRole } from './environment.ts';
import type { RecursiveLoop } from './lineage.ts';
import { lineOfMeasures, linesOf, measuresIn, piecesOf, textsIn } from './log-lines.ts';

type View = Readonly<Record<string, never>>;

const reaching = (model: ModelServer) => ({
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: 'placeholder',
});

async function until<T>(look: () => Promise<T>, enough: (seen: T) => boolean, seconds: number): Promise<T> {
  for (let tries = seconds * 5; ; tries -= 1) {
    const seen = await look();
    if (enough(seen) || tries <= 0) return seen;
    await sleep(200);
  }
}

describe('the functions as they are built', () => {
  let model: ModelServer;
  let account: Account;
  /** What the people of the sample have written. */
  const told: string[] = [];
  beforeAll(async () => {
    if (!existsSync(projectFile('dist/functions/worker/index.mjs')))
      throw new Error('run `npm run build` first');
    model = await startModel();
    account = await openAccount({
      archiveOf: (name) => zipFolder(projectFile(`dist/functions/${name}`)),
      ...{ model: reaching(model), recursiveLoop: 'Allow' },
    });
  });
  afterAll(async () => {
    await account?.close();
    await model?.stop();
  });

  it('triage the sample from their archives, and a warm worker stays below 128 MB after 100 steps', async () => {
    const file = readFileSync(projectFile('examples/tickets.csv'), 'utf8');
    const tickets: readonly Record<string, string>[] = parse(file, { columns: true });
    told.push(...tickets.flatMap(({ subject = '', description = '' }) => [subject, description]));
    const rows = tickets.map(({ id = '', subject, description }) => ({
      id,
      input: { id, subject, body: description },
    }));
    const made = await account.send({ method: 'POST', path: '/batches', body: { agent: 'triage', rows } });
    expect(made).toMatchObject({ status: 202, json: { rejectedRows: [] } });
    const path = `/batches/${String(made.json['id'])}`;
    const batch = await until(
      async () =>
        (await account.send({ path })).json as { readonly counts: Readonly<Record<string, number>> },
      ({ counts }) => counts['queued'] === 0 && counts['running'] === 0,
      90,
    );
    const { succeeded = 0, awaiting_approval: waiting = 0, ...others } = batch.counts;
    expect([succeeded + waiting, succeeded > 0, waiting > 0]).toEqual([rows.length, true, true]);
    expect(Object.values(others).reduce((sum, count) => sum + count, 0)).toBe(0);
    const { calls } = await model.calls();
    expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
    expect(calls.length).toBeGreaterThanOrEqual(100);
    expect(account.worker.coldStarts()).toBe(1);
    const [rss = Number.NaN] = account.worker.rssBytes();
    console.log(`worker: ${calls.length} steps in one process, ${(rss / 1_048_576).toFixed(1)} MB`);
    expect(rss).toBeGreaterThan(0);
    expect(rss).toBeLessThan(128 * 1_048_576);
  });

  it('know nobody whose role belongs to no tenant, and answer by the description of the API', async () => {
    expect(await account.send({ path: '/openapi.json' })).toMatchObject({
      status: 200,
      json: { openapi: '3.1.0' },
    });
    expect((await account.send({ path: '/nowhere' })).status).toBe(404);
  });

  it('print the measures as one line a run of the reconciler, under the names that the alarms are on', async () => {
    const { reconciler } = account.functions;
    const own = 'A letter that nobody but its writer may read.';
    for (const taker of ['worker', 'dead-letter'] as const) {
      const junk = { messageId: taker, receiptHandle: 'none', body: own, attributes: {} };
      await account.functions[taker].invoke({ Records: [junk] });
    }
    const refused = { method: 'POST', path: '/jobs', body: { agent: 'triage', input: own, [own]: own } };
    expect((await account.send(refused)).status).toBe(400);
    told.push(own);
    // A run that is under way has printed its line and not answered, or the other way about.
    const [lines, runs] = await until(
      async () => [measuresIn(reconciler.logs()), reconciler.answered()] as const,
      ([seen, answered]) => seen.length === answered && seen.at(-1)?.['OpenDeadLetters'] === 2,
      30,
    );
    expect(lines).toHaveLength(runs);
    for (const line of lines) expect(line).toEqual(lineOfMeasures('table'));
    expect(lines.at(-1)).toMatchObject({ OpenDeadLetters: 2, StalledJobs: 0 });
  });

  it('log one JSON object a line, and in none of them what a ticket says or a secret', () => {
    const logs = Object.values(account.functions).map((one) => linesOf(one.logs()));
    expect(logs.map(({ length }) => length > 0)).toEqual([true, true, true, true]);
    const lines = logs.flat();
    expect(lines.filter((line) => 'unread' in line)).toEqual([]);
    const logged = lines.flatMap(textsIn).join('\n');
    const pieces = told.flatMap(piecesOf);
    expect(pieces.length).toBeGreaterThan(500);
    expect(pieces.filter((piece) => logged.includes(piece))).toEqual([]);
    for (const secret of ['placeholder', secretOfTheRole, 'session']) expect(logged).not.toContain(secret);
    expect(account.worker.logs()).not.toMatch(/Error:/i);
  });
});

describe('a worker that feeds its own queue', () => {
  let walkers: Bundled;
  const open: (() => Promise<unknown>)[] = [];
  beforeAll(() => {
    const agents = projectFile('test/slow/lambda-runtime/walker-agents.ts');
    walkers = bundleFunctions({ outDir: newFolder(), agents });
  });
  afterAll(async () => {
    for (const close of open) await close();
  });

  async function walk(scriptFile: string, recursiveLoop: RecursiveLoop) {
    const model = await startModel(['--model-script', scriptFile]);
    const account = await openAccount({
      archiveOf: (name) => zipFolder(walkers.folderOf(name)),
      ...{ model: reaching(model), recursiveLoop, reconciled: false },
    });
    open.push(account.close, model.stop);
    const made = await account.send({
      method: 'POST',
      path: '/jobs',
      body: { agent: 'walker', input: 'go' },
    });
    expect(made.status).toBe(202);
    return {
      account,
      look: async () => (await account.send({ path: `/jobs/${made.json['id']}` })).json as View,
    };
  }

  const message = (content: readonly object[], stop: string) => ({
    ...{ id: 'msg', type: 'message', role: 'assistant', model: 'scripted-1', content },
    ...{ stop_reason: stop, stop_sequence: null, usage: { input_tokens: 100, output_tokens: 20 } },
  });
  const turn = (at: number) => {
    const call = { type: 'tool_use', id: `toolu_${at}`, name: 'search_kb', input: { query: `q${at}` } };
    return { http: 200, body: message([call], 'tool_use') };
  };

  /** A conversation of so many replies, the last of them an answer unless it is to go on for ever. */
  function scriptOf(replies: number, endless = false): string {
    const turns = Array.from({ length: replies }, (_, at) => turn(at));
    if (!endless)
      turns[replies - 1] = { http: 200, body: message([{ type: 'text', text: 'Done.' }], 'end_turn') };
    const file = join(newFolder(), 'script.json');
    writeFileSync(file, JSON.stringify({ name: 'walk', turns, ...(endless ? { repeat_last: true } : {}) }));
    return file;
  }

  const ended = (job: View) => job['status'] !== 'queued' && job['status'] !== 'running';

  it('H-Q2: a run of twenty steps completes with the trace carried on each message', async () => {
    const { account, look } = await walk(projectFile('test/field/scripts/twenty_steps.json'), 'Allow');
    expect(await until(look, ended, 30)).toMatchObject({ status: 'succeeded', steps: 21 });
    expect(account.source.longestChain()).toBe(21);
  });

  it('completes a job of 40 steps, whose trace says so, because the template allows its loop', async () => {
    const { RecursiveLoop: allowed = 'Terminate' } = synthesise().one(
      'Lambda::Function',
      'Worker',
    ).Properties;
    const { account, look } = await walk(scriptOf(40), allowed as RecursiveLoop);
    expect(await until(look, ended, 40)).toMatchObject({ status: 'succeeded', steps: 40, text: 'Done.' });
    expect([account.source.longestChain(), account.source.refused()]).toEqual([40, 0]);
    expect(account.deadLetters).toEqual([]);
  });

  it('is stopped in the same job after 16 steps where they are not: the message becomes a dead letter', async () => {
    const { account, look } = await walk(scriptOf(40), 'Terminate');
    await until(
      async () => account.deadLetters.length,
      (letters) => letters > 0,
      60,
    );
    expect(await look()).toMatchObject({ status: 'queued', steps: 16, stop: null });
    expect(account.deadLetters).toHaveLength(1);
    expect(account.source.refused()).toBeGreaterThan(0);
  });

  it('H-Q2: is ended by the count in the store, which no trace can take away, when its model never ends', async () => {
    const { look } = await walk(scriptOf(60, true), 'Allow');
    const job = await until(look, ended, 60);
    expect(job).toMatchObject({ status: 'stopped', steps: 60, stop: { reason: 'max_steps' } });
  });
});
