import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { ApiError } from '../../src/client.ts';
import { deployment, Killed } from '../support/deployment.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-gone-'));
  writeFileSync(join(folder, 'tickets.csv'), 'id,body\nP1,Where is ORD-1001?\nP2,Where is ORD-1002?\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

const given = () => ({ files: [join(folder, 'tickets.csv')], out: join(folder, 'out') });

/** A run that dies once its batch was closed. */
async function begun(): Promise<void> {
  const there = deployment();
  there.after = (change) => {
    if (change === 'POST /batches/ID/close') throw new Killed(change);
  };
  await expect(there.run(given())).rejects.toThrow(Killed);
  const file = join(folder, 'out', 'state', 'deployment-runs.json');
  const { v, runs } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ v, runs: [{ ...runs[0], sent: true }] }));
}

describe('triage on a deployment that has lost the batch', () => {
  it('ends an unfinished run with one sentence that names --fresh, and sends nothing', async () => {
    await begun();
    const other = deployment();
    await expect(other.run(given())).rejects.toMatchObject({
      code: 'batch_gone',
      message: expect.stringMatching(/has no batch_\S+ of this run .*: --fresh begins a new run/),
    });
    expect((await other.client.batches()).items).toEqual([]);
    expect((await other.run({ ...given(), fresh: true })).code).toBe(exitCode.done);
  });

  it('fills a batch that is there again, empty and open', async () => {
    await begun();
    const file = join(folder, 'out', 'state', 'deployment-runs.json');
    const [{ key, batchId, budgetUsd }] = JSON.parse(readFileSync(file, 'utf8')).runs;
    const other = deployment();
    const body = { agent: 'triage', budgetUsd, open: true, rows: [] };
    expect((await other.client.submitBatch(body, { idempotencyKey: key })).id).toBe(batchId);
    expect((await other.run(given())).code).toBe(exitCode.done);
    expect((await other.client.batches()).items).toMatchObject([{ id: batchId, status: 'done', rows: 2 }]);
  });

  it('ends a finished run with one sentence that names --fresh, and pays for nothing', async () => {
    await deployment().run(given());
    const other = deployment();
    await expect(other.run(given())).rejects.toMatchObject({
      code: 'batch_gone',
      message: expect.stringMatching(/has no batch_\S+ of this run .*: --fresh begins a new run/),
    });
    expect(other.asked()).toBe(0);
    expect((await other.run({ ...given(), fresh: true })).code).toBe(exitCode.done);
  });

  it('names a batch that goes while it is watched, and what to do', async () => {
    const there = deployment();
    let looks = 0;
    there.after = (change) => {
      if (change === 'GET /batches/ID' && looks++ > 0)
        throw new ApiError(404, { type: 'urn:treadle:not_found' });
    };
    await expect(there.run(given())).rejects.toMatchObject({
      code: 'batch_gone',
      message: expect.stringMatching(/ has no batch_\S+ of this run .*: --fresh begins a new run/),
    });
  });
});

it('names the other address of an unfinished run of the same tickets', async () => {
  const there = deployment();
  there.after = (change) => {
    if (change === 'POST /batches/ID/close') throw new Killed(change);
  };
  const elsewhere = 'http://localhost:8787';
  await expect(there.run({ ...given(), endpoint: elsewhere })).rejects.toThrow(Killed);
  there.after = () => undefined;
  await expect(there.run(given())).rejects.toMatchObject({
    code: 'unfinished_run',
    message: expect.stringContaining(
      `of these tickets on ${elsewhere}: --endpoint ${elsewhere} carries it on`,
    ),
  });
  expect((await there.client.batches()).items).toHaveLength(1);
});
