import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanEnvironment, newFolder, projectFile, type Running, start } from './processes.ts';

const readme = readFileSync(projectFile('README.md'), 'utf8');
const WRITTEN = 'http://127.0.0.1:8787';
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

/** A command line of curl as the words that a shell makes of it. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

/** The request that curl would make. */
function requestOf(line: string): Request {
  const [, ...words] = wordsOf(line);
  const headers = new Headers();
  let url = '';
  let body: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const next = words[at + 1] ?? '';
    if (word === '-H') headers.append(next.slice(0, next.indexOf(':')), next.slice(next.indexOf(':') + 1));
    if (word === '-d') body = next;
    if (word === '--data-binary') body = readFileSync(projectFile(next.slice(1)), 'utf8');
    if (word.startsWith('http')) url = word;
    if (word.startsWith('-') && word !== '-s') at += 1;
  }
  expect(url.startsWith(WRITTEN)).toBe(true);
  const to = url.replace(WRITTEN, api);
  return new Request(to, body === undefined ? { headers } : { method: 'POST', headers, body });
}

it.each(lines.map((line) => [line]))('answers as the README says: %s', async (line) => {
  const answer = await fetch(requestOf(line));
  expect(answer.ok, await answer.clone().text()).toBe(true);
});

it('has commands to run', () => {
  expect(lines.length).toBeGreaterThanOrEqual(5);
});

it('runs the client of the README', async () => {
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '');
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
