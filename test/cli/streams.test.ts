import { appendFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openInput } from '../../src/cli/read-input.ts';
import { createSpool, writeWhole } from '../../src/cli/spool.ts';
import type { AcceptedRow } from '../../src/ticket-rows.ts';

function file(content: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'treadle-streams-')), 'tickets.csv');
  writeFileSync(path, content);
  return path;
}

async function collect<Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

const idsOf = async (rows: AsyncIterable<AcceptedRow>): Promise<readonly string[]> =>
  (await collect(rows)).map(({ ticket }) => ticket.id);

it('finds tickets that say the same under other ids, by the first of them', async () => {
  const rows = [
    'id,subject,body',
    '1,Late,Where is it?',
    '2,Late,Where was it?',
    '3,late,"where\n is  IT?"',
    '4,,',
    '5,,',
    '6,Late,Where is it?',
  ];
  const input = await openInput([file(rows.join('\n'))], undefined);
  // A row without text says nothing, and so nothing that another says.
  expect([...input.duplicateOf]).toEqual([
    [2, 0],
    [5, 0],
  ]);
  await input.close();
});

it('gives its rows again and again, and the same digest for the same rows only', async () => {
  const path = file('id,body\n1,a\n2,b\n');
  const input = await openInput([path], undefined);
  expect(await idsOf(input.rows())).toEqual(['1', '2']);
  expect(await idsOf(input.rows())).toEqual(['1', '2']);
  const [again, other] = await Promise.all([
    openInput([path], undefined),
    openInput([file('id,body\n1,a\n2,c\n')], undefined),
  ]);
  expect(again.digest).toBe(input.digest);
  expect(other.digest).not.toBe(input.digest);
  await Promise.all([input, again, other].map((one) => one.close()));
});

it('ends with an error, and so with no batch, when the file has become another in the meantime', async () => {
  const path = file('id,body\n1,a\n2,b\n');
  const input = await openInput([path], undefined);
  appendFileSync(path, '3,c\n');
  await expect(idsOf(input.rows())).rejects.toMatchObject({ code: 'input_changed' });
  await input.close();
});

it('leaves no file behind for what comes only once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-streams-'));
  vi.stubEnv('TMPDIR', folder);
  const spool = await createSpool();
  await spool.write('a'.repeat(300_000));
  await spool.write(new Uint8Array([98, 99]));
  vi.unstubAllEnvs();
  expect(readdirSync(folder)).toEqual([]);
  for (let pass = 0; pass < 2; pass += 1) {
    const parts = (await collect(copied(spool.read()))).join('');
    expect(parts).toBe(`${'a'.repeat(300_000)}bc`);
  }
  expect(spool.size()).toBe(300_002);
  await spool.close();
});

async function* copied(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const part of parts) yield Buffer.from(part).toString();
}

it('shows a file whole or not at all', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'treadle-streams-')), 'out.txt');
  async function* failing(): AsyncGenerator<string> {
    yield 'half';
    throw new Error('broke off');
  }
  await expect(writeWhole(path, failing())).rejects.toThrow('broke off');
  expect(() => readFileSync(path)).toThrow();
  const spool = await createSpool();
  await spool.write('x'.repeat(1_000_000));
  await spool.write('end');
  await writeWhole(path, spool.read());
  expect(readFileSync(path, 'utf8')).toBe(`${'x'.repeat(1_000_000)}end`);
  await spool.close();
});
