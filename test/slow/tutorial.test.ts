import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { follow, pages } from '../support/tutorial.ts';
import { type Dev, runDev } from './dev-process.ts';
import { newFolder } from './processes.ts';

const folder = newFolder();
const state = join(folder, 'tutorial-state');
let dev: Dev | undefined;
afterAll(() => dev?.kill());

/** What a reader does who goes through the pages in two terminals, and leaves the system running between them. */
async function command(line: string): Promise<void> {
  if (line.startsWith('kill ')) {
    execFileSync('sh', ['-c', line], { cwd: folder });
    await dev?.running.finished;
    dev = undefined;
    return;
  }
  expect(line).toBe('npx --no treadle dev --data tutorial-state');
  dev ??= await runDev(['--data', state]);
}

it.each(pages)('docs/tutorial/$name goes as it says, on a system that is killed on the way', async (page) => {
  expect(await follow(page.blocks, { api: () => dev?.api ?? '', command })).toBeGreaterThan(2);
});

it('has left one refund behind, that of the page on refunds', () => {
  const lines = readFileSync(join(state, 'refunds.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { orderId: 'ORD-1042', amountCents: 4_800 },
  ]);
  expect(readFileSync(join(state, 'notes.jsonl'), 'utf8')).toContain('"key":"answer","value":"42"');
});
