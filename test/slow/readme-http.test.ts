import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestOf, WRITTEN } from '../support/curl.ts';
import { cleanEnvironment, newFolder, projectFile, type Running, start } from './processes.ts';

const readme = readFileSync(projectFile('README.md'), 'utf8');
const page = readFileSync(projectFile('docs/http.md'), 'utf8');
const lines = readme.split('\n').filter((line) => line.startsWith('curl '));

let dev: Running;
let api: string;
beforeAll(async () => {
  dev = start(['dev', '--port', '0', '--json', '--data', join(newFolder(), 'state')], cleanEnvironment());
  const ready = await new Promise<string>((resolve) =>
    dev.child.stdout?.once('data', (chunk) => resolve(String(chunk))),
  );
  ({ api } = JSON.parse(ready));
});
afterAll(async () => {
  dev.child.kill('SIGTERM');
  await dev.finished;
});

it.each(lines.map((line) => [line]))('answers as the README says: %s', async (line) => {
  const answer = await fetch(requestOf(line, api));
  expect(answer.ok, await answer.clone().text()).toBe(true);
});

it('has commands to run', () => {
  expect(lines.length).toBeGreaterThanOrEqual(5);
});

it('runs the client of docs/http.md', async () => {
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '');
  const block = blocks.find((text) => text.includes('createClient')) ?? '';
  const folder = newFolder();
  const source = join(folder, 'readme.ts');
  writeFileSync(source, `${block.replace(WRITTEN, api)}\nexport const seen = { status, counts, cost };\n`);
  const outfile = join(folder, 'readme.mjs');
  const alias = { 'treadle/client': projectFile('src/client.ts') };
  await build({ entryPoints: [source], outfile, bundle: true, format: 'esm', platform: 'browser', alias });
  const { seen } = (await import(pathToFileURL(outfile).href)) as { readonly seen: object };
  expect(seen).toMatchObject({ counts: { rejected: 0 }, cost: { budgetUsd: 0.5 } });
});
