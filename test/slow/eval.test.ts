import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { agents } from '../../src/agents/index.ts';
import { createApi } from '../../src/api/app.ts';
import { apiFiles } from '../../src/api-files.ts';
import { type EvalOptions, evaluate } from '../../src/cli/eval.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { main } from '../../src/cli/main.ts';
import { type Client, createClient } from '../../src/client.ts';
import { builtInPrices } from '../../src/core/prices.ts';
import { identifyLocally, startApiServer } from '../../src/local/api-server.ts';
import { chooseModel } from '../../src/local/choose-model.ts';
import { startStack } from '../../src/local/stack.ts';
import { worldGiven } from '../api/given.ts';

const examples = fileURLToPath(new URL('../../examples/eval.jsonl', import.meta.url));
const lines = readFileSync(examples, 'utf8').trimEnd().split('\n');
const folder = mkdtempSync(join(tmpdir(), 'treadle-'));
const scripted =
  'Answers are scripted by rules: no model is asked, and the figures show only that the measuring works.\n';

let endpoint = '';
let client: Client;
const closers: (() => Promise<unknown>)[] = [];

/** What `treadle dev` starts. */
beforeAll(async () => {
  const prices = builtInPrices;
  const model = await chooseModel({ script: undefined, shipped: true, prices, environment: {} });
  const stack = await startStack({ agents, model: model.model, prices, log: () => undefined });
  const api = createApi({ world: stack.world, identify: identifyLocally, files: apiFiles });
  const server = await startApiServer({ api, port: 0, answers: model.name });
  closers.push(server.close, () => stack.close(2_000), model.close);
  endpoint = server.url;
  client = createClient({ endpoint });
});

afterAll(async () => {
  for (const close of closers) await close();
  rmSync(folder, { recursive: true });
});

let files = 0;
function file(text: string, name = 'cases.jsonl'): string {
  files += 1;
  const path = join(folder, `${files}-${name}`);
  writeFileSync(path, text);
  return path;
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(
  given: Partial<EvalOptions> & { readonly cases: string },
  parts: Parameters<typeof evaluate>[2] = {},
): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    ...{ live: false, color: false, width: 100, ask: undefined },
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
  };
  const options: EvalOptions = {
    ...{ endpoint, agent: 'triage', budgetUsd: 1, maxSteps: undefined, map: undefined },
    ...{ rightField: undefined, save: undefined, baseline: undefined, json: false, ...given },
  };
  const code = await evaluate(options, terminal, parts);
  return { code, out: out.join(''), err: err.join('') };
}

const json = ({ out }: Ran): Record<string, never> => JSON.parse(out);

const aCase = (id: string, subject: string, expected: object): string =>
  `${JSON.stringify({ id, subject, expected })}\n`;
const thanks = aCase('thanks', 'Thank you so much!', { category: 'other', needs_human: false });
const parcel = aCase('parcel', 'Where is my parcel ORD-1001?', {
  category: 'delivery',
  route_to: 'logistics',
});
const wrong = aCase('wrong', 'Where is my parcel ORD-1007?', { category: 'account', route_to: 'accounts' });
const refund = aCase('refund', 'ORD-1006 is lost, please refund it', { category: 'refund' });

// Each waits for turns of its batch most of the time.
describe.concurrent('treadle eval', { timeout: 120_000 }, () => {
  it('measures all the labelled examples, and says first and last that the answers are scripted', async () => {
    const save = join(folder, 'new/folder/all.json');
    const ran = await run({ cases: examples, save });
    expect(ran.code).toBe(exitCode.done);
    expect(ran.out.startsWith(scripted)).toBe(true);
    expect(ran.out.endsWith(scripted)).toBe(true);
    expect(ran.err.startsWith(scripted)).toBe(true);
    expect(ran.out).toContain('100 of 100 labelled cases were run');
    for (const part of ['95 % interval', 'mistakes', 'expected calibration error', 'needs review', 'p95']) {
      expect(ran.out).toContain(part);
    }
    // The rules are wrong on a part of them, and right on another.
    const kept = JSON.parse(readFileSync(save, 'utf8'));
    const right = kept.cases.filter((one: { right: { category: boolean } }) => one.right.category).length;
    expect(right).toBeGreaterThan(20);
    expect(right).toBeLessThan(95);
    expect(ran.err).toMatch(/\n100 of 100 cases, 0 running, \$0\.0\d+ of \$1\.00\n/);
  }, 120_000);

  it('prints one object with exact figures, and denies what would need a person, but nothing of others', async () => {
    const other = await client.submit({ agent: 'triage', input: 'ORD-1006 is lost, please refund it' });
    const cases = file(thanks + parcel + wrong + refund);
    const ran = await run({ cases, json: true });
    expect(ran.code).toBe(exitCode.done);
    expect(json(ran)).toMatchObject({
      scripted: 'scripted by rules',
      agent: { name: 'triage', model: 'claude-haiku-5-5' },
      cases: { labelled: 4, run: 4, succeeded: 4, unlabelled: [], refused: [], rejected: [], notRun: [] },
      denied: 1,
      accuracy: [
        { field: 'category', right: 3, of: 4, share: 0.75 },
        { field: 'needs_human', right: 1, of: 1 },
        { field: 'route_to', right: 1, of: 2 },
      ],
      rightFields: ['category', 'route_to'],
      right: { right: 3, of: 4 },
      notSucceeded: [],
      ...{ baseline: null, saved: null, unknownFields: [] },
      cost: { budgetUsd: 1 },
    });
    const { confusion, perCase, cost, unseenLabels } = json(ran) as unknown as {
      unseenLabels: readonly object[];
      confusion: { field: string; mistakes: object[] }[];
      perCase: { costUsd: { total: number }; steps: { max: number } };
      cost: { spentUsd: number };
    };
    // What no answer of these four is may still be a value of the agent: it is named, and measured.
    expect(unseenLabels).toContainEqual({ field: 'category', label: 'account', cases: 1 });
    expect(confusion[0]?.mistakes).toEqual([
      { expected: 'account', answered: 'delivery', count: 1, ids: ['wrong'] },
    ]);
    expect(perCase.costUsd.total).toBeCloseTo(cost.spentUsd, 9);
    expect(ran.err.endsWith(scripted)).toBe(true);
    const { approvals } = await client.job(other.id);
    expect(approvals.map(({ status }) => status)).toEqual(['pending']);
    expect(ran.err).not.toContain('refund');
  });

  it('compares with a baseline: what is newly wrong, what costs more, what is only there once', async () => {
    const [baseline, save] = [join(folder, 'before.json'), join(folder, 'after.json')];
    const before = await run({ cases: file(thanks + parcel + refund), save: baseline });
    expect(before.err).toContain(`--baseline ${baseline}`);
    const changed = aCase('parcel', 'My parcel ORD-1001: where is it?', {
      category: 'billing',
      route_to: 'payments',
    });
    const ran = await run({ cases: file(thanks + changed + wrong), baseline, save });
    expect(ran.code).toBe(exitCode.done);
    expect(ran.out).toContain(`baseline ${baseline}: 2 cases are in both runs`);
    expect(ran.out).toContain('caution: the cases or their labels are not those of the baseline');
    expect(ran.out).toMatch(
      /category +100\.0 % +50\.0 % +0 +1 +1\.000 {2}no difference that could not be chance/,
    );
    expect(ran.out).toContain('category newly wrong: parcel\n');
    expect(ran.out).toContain('only in the baseline: refund\n');
    expect(ran.out).toContain('only in this run: wrong\n');
    expect(ran.out).toMatch(/dollars a ticket: \$0\.\d+ before, \$0\.\d+ now \([-+]?\d/);
    const again = await run({ cases: file(thanks + changed), baseline: save, json: true });
    expect(json(again)).toMatchObject({ baseline: { file: save, cases: 2, worse: [], cautions: [/cases/] } });
  });

  it('puts no text of a ticket into what is saved or into its progress', async () => {
    const secret = 'xylophone';
    const save = join(folder, 'no-text.json');
    const cases = file(
      aCase('1', `Where is my ${secret} parcel?`, { category: 'delivery', summary: secret }),
    );
    const ran = await run({ cases, save });
    expect(ran.err + readFileSync(save, 'utf8')).not.toContain(secret);
    expect(readFileSync(cases, 'utf8')).toContain(secret);
  });

  it('reports labels that no answer has, rows without labels and rows that cannot be read', async () => {
    const typo = aCase('typo', 'Where is my parcel ORD-1001?', {
      category: 'delivery',
      categroy: 'delivery',
    });
    const cases = file(`${typo}{"id":"bare","subject":"No label"}\n{"id":\n`);
    const ran = await run({ cases });
    expect(ran.code).toBe(exitCode.partly);
    expect(ran.out).toContain('not measured: no answer has a field categroy, which 1 case names as a label');
    expect(ran.out).toMatch(/^left out +1 without labels: bare$/m);
    expect(ran.out).toMatch(/^refused +1 row: line 3: /m);
    expect(ran.out).toMatch(/^category +1 +1 +100\.0 %/m);
    expect(ran.out).not.toMatch(/^categroy/m);
  });

  it('counts a job that a limit stopped as wrong in every field, by its reason, and exits with 4', async () => {
    const ran = await run({ cases: file(thanks + parcel), maxSteps: 1, json: true });
    expect(ran.code).toBe(exitCode.limited);
    expect(json(ran)).toMatchObject({
      notSucceeded: [{ stop: 'max_steps', ids: ['parcel'] }],
      cases: { run: 2, succeeded: 1 },
      accuracy: [{ field: 'category', right: 1, of: 2 }, {}, { field: 'route_to', right: 0, of: 1 }],
    });
  });

  it('leaves cases out that the pool kept from starting, gives their batch up, and exits with 4', async () => {
    const cases = file(Array.from({ length: 8 }, (_, at) => parcel.replace('"parcel"', `"p${at}"`)).join(''));
    const ran = await run({ cases, budgetUsd: 0.0014, json: true });
    expect(ran.code).toBe(exitCode.limited);
    const said = json(ran) as unknown as {
      batchId: string;
      cases: { run: number; notRun: string[] };
      stop: object;
    };
    expect(said.stop).toMatchObject({ reason: 'pool_exhausted' });
    expect(said.cases.run).toBeGreaterThan(0);
    expect(said.cases.run + said.cases.notRun.length).toBe(8);
    expect(said.cases.notRun.length).toBeGreaterThan(0);
    expect((await client.batch(said.batchId)).status).toBe('cancelled');
  });

  it('sends what is too much for one call in parts', async () => {
    const text = 'Thank you so much! '.repeat(12_900);
    const cases = Array.from({ length: 21 }, (_, at) => aCase(`l${at}`, text, { category: 'other' })).join(
      '',
    );
    const changes: string[] = [];
    const send: typeof fetch = async (input, init) => {
      if (init?.method === 'POST') changes.push(new URL(String(input)).pathname.replace(/batch_[^/]+/, 'ID'));
      return fetch(input, init);
    };
    const ran = await run({ cases: file(cases), json: true }, { send });
    expect(changes).toEqual(['/batches', '/batches/ID/rows', '/batches/ID/close']);
    // A text of this length costs more than a job may, so that no model is asked.
    expect(json(ran)).toMatchObject({
      cases: { labelled: 21, run: 21, refused: [], rejected: [] },
      notSucceeded: [{ stop: 'cost_ceiling' }],
    });
  });

  it('says so where the pool does not pay for one call, and saves nothing', async () => {
    const save = join(folder, 'nothing.json');
    const ran = await run({ cases: file(parcel), budgetUsd: 0.000001, save });
    expect(ran.code).toBe(exitCode.limited);
    expect(ran.out).toContain('No case was run: there are no figures.');
    expect(ran.out).toMatch(/^not run +1 not started \(The money of the batch is used up/m);
    expect(() => readFileSync(save)).toThrow();
  });

  it('cancels its batch when it is interrupted, and exits with 130 without figures', async () => {
    const interrupt = new AbortController();
    let batchId = '';
    const send: typeof fetch = async (input, init) => {
      const found = /\/batches\/(batch_[^/?]+)$/.exec(String(input))?.[1];
      if (found !== undefined) {
        batchId = found;
        interrupt.abort();
      }
      return fetch(input, init);
    };
    const ran = await run({ cases: file(thanks + parcel) }, { send, interrupt });
    expect(ran).toMatchObject({ code: exitCode.interrupted, out: '' });
    expect(ran.err).toContain(`the batch ${batchId} is cancelled`);
    await expect
      .poll(async () => (await client.batch(batchId)).status, { timeout: 20_000 })
      .toBe('cancelled');
  });

  it('leaves cases out that were never started because somebody else cancelled the batch', async () => {
    let asked = 0;
    const send: typeof fetch = async (input, init) => {
      const found = /\/batches\/(batch_[^/?]+)$/.exec(String(input))?.[1];
      if (found !== undefined && asked++ === 0) await client.cancelBatch(found);
      return fetch(input, init);
    };
    const cases = file(
      Array.from({ length: 60 }, (_, at) => parcel.replace('"parcel"', `"c${at}"`)).join(''),
    );
    const ran = await run({ cases, json: true }, { send });
    expect(ran.code).toBe(exitCode.limited);
    const said = json(ran) as unknown as {
      cases: { run: number; notRun: string[] };
      accuracy: { of: number }[];
    };
    expect(said.cases.notRun.length).toBeGreaterThan(0);
    expect(said.cases.run + said.cases.notRun.length).toBe(60);
    for (const { of } of said.accuracy) expect(of).toBe(said.cases.run);
  });

  it('asks again where reading fails for a moment, and gives its batch up where changing fails', async () => {
    let failures = 2;
    const flaky: typeof fetch = async (input, init) => {
      if (init?.method === 'GET' && String(input).includes('/batches/') && failures-- > 0) {
        return new Response('{}', { status: 503 });
      }
      return fetch(input, init);
    };
    const clock = {
      now: Date.now,
      sleep: (ms: number) => new Promise<void>((r) => setTimeout(r, Math.min(ms, 50))),
    };
    expect(await run({ cases: file(thanks) }, { send: flaky, clock })).toMatchObject({ code: exitCode.done });
    let cancelled = 0;
    const refusing: typeof fetch = async (input, init) => {
      if (String(input).endsWith('/cancel')) cancelled += 1;
      return String(input).includes('/decision') || /\/approvals\/./.test(String(input))
        ? new Response('{}', { status: 403 })
        : fetch(input, init);
    };
    await expect(run({ cases: file(refund) }, { send: refusing, clock })).rejects.toMatchObject({
      code: 'unreachable',
    });
    expect(cancelled).toBe(1);
  });
});

describe('treadle eval refuses', () => {
  it.each<[string, Partial<EvalOptions>, string]>([
    ['an agent that is not there', { agent: 'nobody' }, 'unknown_agent'],
    ['more steps than the agent may take', { maxSteps: 99 }, 'usage'],
    ['a field without labels to judge by', { rightField: ['priority'] }, 'usage'],
    ['an endpoint where nothing listens', { endpoint: 'http://127.0.0.1:9' }, 'unreachable'],
    ['a baseline that is not there', { baseline: 'absent.json' }, 'usage'],
    ['a baseline that is none', { baseline: examples }, 'unreadable_baseline'],
  ])('%s, before anything is run', async (_what, given, code) => {
    const before = (await client.batches({ limit: 1 })).items[0]?.id;
    await expect(run({ cases: file(thanks), ...given })).rejects.toMatchObject({ code });
    expect((await client.batches({ limit: 1 })).items[0]?.id).toBe(before);
  });

  it('with the exit codes of all commands', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const cases = file(thanks);
    const there = ['--cases', cases, '--endpoint', endpoint];
    const codes = {
      none: await main(['eval']),
      absent: await main(['eval', '--cases', join(folder, 'absent.jsonl')]),
      dollars: await main(['eval', ...there, '--budget-usd', 'much']),
      agent: await main(['eval', ...there, '--agent', 'nobody']),
      unreachable: await main(['eval', '--cases', cases, '--endpoint', 'http://127.0.0.1:9']),
      unlabelled: await main(['eval', '--cases', file('{"id":"1","subject":"x"}\n'), '--endpoint', endpoint]),
      broken: await main(['eval', ...there, '--baseline', cases]),
    };
    vi.restoreAllMocks();
    expect(codes).toEqual({
      ...{ none: exitCode.usage, absent: exitCode.usage, dollars: exitCode.usage, agent: exitCode.usage },
      ...{ unreachable: exitCode.error, unlabelled: exitCode.error, broken: exitCode.error },
    });
  });
});

describe('the header that says what answers', () => {
  it('is on every answer of a local API whose answers are scripted, also on refusals', async () => {
    for (const path of ['/agents', '/absent', '/openapi.json']) {
      expect((await fetch(`${endpoint}${path}`)).headers.get('x-treadle-answers')).toBe('scripted by rules');
    }
    const foreign = await fetch(`${endpoint}/agents`, { headers: { origin: 'https://example.com' } });
    expect([foreign.status, foreign.headers.get('x-treadle-answers')]).toEqual([403, 'scripted by rules']);
  });

  it.each([
    [undefined, null],
    ['scripted by /tmp/änderung\n.json', 'scripted by /tmp/?nderung?.json'],
  ])('of %j is %j', async (answers, header) => {
    const api = createApi({ world: await worldGiven('nothing'), identify: identifyLocally, files: apiFiles });
    const server = await startApiServer({ api, port: 0, ...(answers === undefined ? {} : { answers }) });
    closers.unshift(server.close);
    expect((await fetch(`${server.url}/absent`)).headers.get('x-treadle-answers')).toBe(header);
  });
});

it('the shipped examples are what this file runs', () => {
  expect(lines).toHaveLength(100);
});
