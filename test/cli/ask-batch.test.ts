import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleBatchId } from '../../src/api/batch-samples.ts';
import type { Given } from '../../src/api/route.ts';
import { partsOf, type Rejected } from '../../src/cli/ask/row-parts.ts';
import type { GivenRow } from '../../src/cli/ask/submit-rows.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { type Batch, createClient, type Result } from '../../src/client.ts';
import { worldGiven } from '../api/given.ts';
import { overHttp } from '../api/senders.ts';
import { json, treadle } from '../support/command-line.ts';
import { runUntilIdle } from '../support/drive.ts';

const served = async (given: Given = 'batch_done') => {
  const world = await worldGiven(given);
  const { port } = await overHttp(world);
  return { world, port, client: createClient({ endpoint: `http://127.0.0.1:${port}` }) };
};

const folder = mkdtempSync(join(tmpdir(), 'treadle-'));
let files = 0;
function file(name: string, text: string): string {
  files += 1;
  const path = join(folder, `${files}-${name}`);
  writeFileSync(path, text);
  return path;
}

const results = (out: string): readonly Result[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);

describe('treadle batch submit', () => {
  it('sends tickets as the local triage would, and reports rows that cannot be read with code 3', async () => {
    const { port, client, world } = await served();
    const csv = 'id,subject,body,tier\nA,Cup,It is broken,gold\nB,,,silver\nA,Another,Text,gold\n';
    const said = await treadle(port, [
      'batch',
      'submit',
      file('t.csv', csv),
      '--budget-usd',
      '0.5',
      '--json',
    ]);
    expect(said.code).toBe(exitCode.partly);
    expect(said.err).toMatch(/^rejected {2}line 4: .*the id A of line 2/);
    const { rejectedRows, ...batch } = json(said) as Batch & { rejectedRows: Rejected[] };
    expect(batch).toMatchObject({ rows: 2, status: 'running', cost: { budgetUsd: 0.5 } });
    expect(rejectedRows).toEqual([{ id: null, reason: expect.stringMatching(/^line 4: /) }]);
    await runUntilIdle(world);
    const found = results((await treadle(port, ['batch', 'results', batch.id])).out);
    expect(found.map(({ id, steps, metadata }) => ({ id, steps, metadata }))).toEqual([
      { id: 'A', steps: 1, metadata: { ticket: 'A', tier: 'gold' } },
      // Nothing to ask a model about.
      { id: 'B', steps: 0, metadata: { ticket: 'B', tier: 'silver' } },
    ]);
    const [first] = (await client.jobs({ batch: batch.id, limit: 2 })).items.filter(({ steps }) => steps > 0);
    expect(first?.input).toContain('It is broken');
  });

  it('sends lines with an input as rows as they stand', async () => {
    const { port, client } = await served();
    const lines = [
      '{"id":"a","input":"Where is it?","metadata":{"n":1}}',
      '{"id":',
      '{"id":"b","input":{"x":{"y":1}}}',
      '{"id":"c"}',
    ];
    const said = await treadle(port, ['batch', 'submit', file('rows.jsonl', lines.join('\n')), '--json']);
    expect(said.code).toBe(exitCode.partly);
    expect((json(said) as { rejectedRows: unknown }).rejectedRows).toEqual([
      { id: null, reason: 'line 2: the row is not JSON' },
      { id: 'c', reason: expect.stringContaining('input') },
    ]);
    const { id } = json(said) as Batch;
    expect(await client.batch(id)).toMatchObject({ rows: 3, counts: { queued: 2, rejected: 1 } });
  });

  it('sends what is too much for one call in parts, and closes the batch with the last', async () => {
    const { port, client } = await served();
    const rows = Array.from({ length: 5_001 }, (_, n) => `{"id":"r${n}","input":"x"}`).join('\n');
    const rowsFile = file('many.jsonl', rows);
    const args = ['batch', 'submit', rowsFile, '--key', 'many', '--json'];
    const said = await treadle(port, args);
    expect(said.code).toBe(exitCode.done);
    const { id, status } = json(said) as Batch;
    expect(status).toBe('running');
    expect(await client.batch(id)).toMatchObject({ rows: 5_001, status: 'running' });
  });

  it.each<[string, number, readonly string[], string]>([
    ['a file that is not there', exitCode.usage, ['absent.csv'], 'absent.csv: there is no such file'],
    ['lines that are not there', exitCode.usage, ['absent.jsonl'], 'absent.jsonl: there is no such file'],
    ['a folder', exitCode.usage, [folder], 'is a folder'],
    ['no file', exitCode.usage, [], "missing required argument 'files'"],
    ['an unknown agent', exitCode.usage, ['x.csv', '--agent', 'nobody'], 'there are: triage'],
    ['nothing to read', exitCode.error, [file('empty.csv', '')], 'there is nothing to read'],
    ['a budget that is none', exitCode.usage, ['x.csv', '--budget-usd', '-1'], 'expected US dollars'],
  ])('refuses %s with code %i, and makes no batch', async (_what, code, args, words) => {
    const { port, client } = await served('nothing');
    const said = await treadle(port, ['batch', 'submit', ...args]);
    expect(said).toMatchObject({ code, out: '', err: expect.stringContaining(words) });
    expect((await client.batches()).items).toEqual([]);
  });

  it('keeps each part within the bounds of a call, and rows that say nothing apart', async () => {
    async function* given(): AsyncGenerator<GivenRow> {
      for (let n = 0; n < 3; n += 1) yield { type: 'row', row: { id: `${n}`, input: 'é'.repeat(1_200_000) } };
      yield { type: 'textless', line: '{"id":"t"}' };
      yield { type: 'rejected', line: 0, reason: 'others' };
      for (let n = 0; n < 5_001; n += 1) yield { type: 'row', row: { id: `s${n}`, input: 'x' } };
    }
    const rejected: Rejected[] = [];
    const sizes: (number | string)[] = [];
    for await (const part of partsOf(given(), rejected)) {
      sizes.push(part.type === 'rows' ? part.rows.length : part.text);
      if (part.type === 'rows') expect(Buffer.byteLength(JSON.stringify(part.rows))).toBeLessThan(5_000_000);
    }
    expect(sizes).toEqual([2, 5_000, 2, '{"id":"t"}']);
    expect(rejected).toEqual([{ id: null, reason: 'others' }]);
  });
});

describe('treadle batch', () => {
  it('lists batches and shows one', async () => {
    const { port, client } = await served();
    const list = await treadle(port, ['batch', 'list']);
    expect(list.out).toMatch(
      /^batch +agent +status +ended +waiting +spent +of +age\nbatch_\S+ +triage +done +/,
    );
    expect(json(await treadle(port, ['batch', 'list', '--json']))).toEqual(await client.batches());
    const one = await treadle(port, ['batch', 'status', sampleBatchId, '--json']);
    expect(json(one)).toEqual(await client.batch(sampleBatchId));
    const absent = await treadle(port, ['batch', 'status', 'batch_x']);
    expect(absent).toMatchObject({
      code: exitCode.error,
      err: expect.stringContaining('treadle batch list'),
    });
  });

  it('pauses, resumes, extends and cancels, and says how it stands then', async () => {
    const { port } = await served('batch_open');
    const status = async (...args: readonly string[]) => {
      const said = await treadle(port, ['batch', ...args, '--json']);
      return { code: said.code, ...(json(said) as Batch) };
    };
    expect(await status('pause', sampleBatchId)).toMatchObject({ code: exitCode.done, status: 'paused' });
    expect(await status('resume', sampleBatchId)).toMatchObject({ code: exitCode.done, status: 'open' });
    const { cost } = await status('extend', sampleBatchId, '--add-usd', '1', '--key', 'k');
    const again = await status('extend', sampleBatchId, '--add-usd', '1', '--key', 'k');
    expect(again.cost.budgetUsd).toBe(cost.budgetUsd);
    expect(await status('cancel', sampleBatchId)).toMatchObject({ code: exitCode.done });
    const refused = await treadle(port, ['batch', 'pause', sampleBatchId]);
    expect(refused).toMatchObject({ code: exitCode.error, err: expect.stringContaining('cancelled') });
    expect((await treadle(port, ['batch', 'extend', sampleBatchId])).code).toBe(exitCode.usage);
  });

  it('prints results as lines, or as one table whose columns all rows share', async () => {
    const { port, client } = await served();
    const lines = await treadle(port, ['batch', 'results', sampleBatchId]);
    expect(results(lines.out)).toEqual((await client.results(sampleBatchId)).items);
    const csv = await treadle(port, ['batch', 'results', sampleBatchId, '--format', 'csv']);
    expect(csv.out).toBe((await client.resultsCsv(sampleBatchId)).csv);
    // Rows that came by a call stand in no line of a file.
    expect(csv.out).toMatch(/\n1001,,job_/);
    expect((await treadle(port, ['batch', 'results', sampleBatchId, '--format', 'xls'])).code).toBe(
      exitCode.usage,
    );
  });

  it('follows a batch to its end, and gives each row once', async () => {
    const { port, client, world } = await served('batch_open');
    const { rows } = await client.batch(sampleBatchId);
    const following = treadle(port, ['batch', 'results', sampleBatchId, '--follow', '--format', 'csv']);
    await client.addRows(sampleBatchId, [{ id: 'late', input: 'x', metadata: { extra: 'column' } }]);
    await runUntilIdle(world);
    await client.closeBatch(sampleBatchId);
    await runUntilIdle(world);
    const said = await following;
    const [header = '', ...table] = said.out.trimEnd().split('\n');
    expect(header).toContain('input.extra');
    expect(table.filter((line) => /,succeeded,/.test(line))).toHaveLength(
      (await client.batch(sampleBatchId)).counts.succeeded,
    );
    expect(table.filter((line) => line.startsWith('late,'))).toHaveLength(1);
    expect(rows).toBeGreaterThan(0);
  });
});
