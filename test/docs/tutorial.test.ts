import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { agents } from '../../src/agents/index.ts';
import { type DevStack, startDev } from '../support/dev-stack.ts';
import { type Block, follow, pages } from '../support/tutorial.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'treadle-tutorial-'));
let dev: DevStack;
beforeAll(async () => {
  vi.stubEnv('TREADLE_REFUNDS_FILE', join(folder, 'refunds.jsonl'));
  vi.stubEnv('TREADLE_NOTES_FILE', join(folder, 'notes.jsonl'));
  dev = await startDev();
});
afterAll(async () => {
  await dev.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('has one page for each shipped agent', () => {
  const names = pages.map(({ name }) => /^\d-(\w+)\.md$/.exec(name)?.[1]);
  expect([...names].sort()).toEqual(agents.map((agent) => agent.name).sort());
});

describe.each(pages)('docs/tutorial/$name', ({ name, blocks }) => {
  const sources = blocks.filter(({ language }) => language === 'ts');

  it('begins with the loop that the reader knows, which is TypeScript', async () => {
    const [loop] = sources;
    expect(loop?.text).not.toMatch(/^\/\/ src\//);
    for (const { text } of sources.filter(isOwnCode)) await transform(text, { loader: 'ts' });
  });

  it('quotes the agent and its tools as they are', () => {
    const quoted = sources.filter((block) => !isOwnCode(block));
    expect(quoted.length).toBeGreaterThan(0);
    for (const { text } of quoted) {
      const [, path = '', code = ''] = /^\/\/ (src\/\S+)\n([\s\S]*)$/.exec(text) ?? [];
      expect(readFileSync(join(root, path), 'utf8'), path).toContain(code);
    }
  });

  it('leads on to the next page', () => {
    const next = pages[pages.findIndex((page) => page.name === name) + 1];
    const text = readFileSync(join(root, 'docs/tutorial', name), 'utf8');
    if (next !== undefined) expect(text).toContain(`](${next.name})`);
  });
});

const isOwnCode = ({ text }: Block): boolean => !text.startsWith('// src/');

it('runs the loop of the first page, which ends with the same words', async () => {
  const loop = pages[0]?.blocks.find(({ language }) => language === 'ts')?.text ?? '';
  const outfile = join(folder, 'loop.mjs');
  const contents = `${loop}\nexport const said = messages;`;
  const stdin = { contents, resolveDir: root, loader: 'ts' } as const;
  await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' });
  vi.stubEnv('ANTHROPIC_BASE_URL', dev.model);
  vi.stubEnv('ANTHROPIC_API_KEY', 'scripted');
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const { said } = (await import(pathToFileURL(outfile).href)) as { readonly said: readonly object[] };
  expect(said).toHaveLength(4);
  expect(JSON.stringify(printed.mock.calls)).toContain('Order 1 is completed.');
  printed.mockRestore();
});

it('gives a shell no command after one that goes on until it is ended', () => {
  for (const { name, blocks } of pages) {
    for (const { language, text } of blocks) {
      const lines = text.trim().split('\n');
      if (language === 'sh' && lines.some((line) => !line.startsWith('curl '))) {
        expect(lines, name).toHaveLength(1);
      }
    }
  }
});

it('folds an answer by the command that it says', () => {
  const [, pipe = ''] =
    /`\| (node -p [^`]+)`/.exec(readFileSync(join(root, 'docs/tutorial/1-orders.md'), 'utf8')) ?? [];
  const answer = { status: 'succeeded', deep: { deeper: { deepest: ['é'] } } };
  const folded = execFileSync('sh', ['-c', pipe], { input: JSON.stringify(answer), encoding: 'utf8' });
  expect(folded).toBe(`${JSON.stringify(answer, null, 2)}\n`);
});

it('writes into a folder that git ignores and the last page removes', () => {
  expect(readFileSync(join(root, '.gitignore'), 'utf8')).toContain('\ntutorial-state/\n');
  const last = pages.at(-1)?.name ?? '';
  expect(readFileSync(join(root, 'docs/tutorial', last), 'utf8')).toContain('`rm -r tutorial-state`');
});

it('fails where an answer is not what is shown', async () => {
  const get: Block = { language: 'sh', text: 'curl -s http://127.0.0.1:8787/jobs/job_nowhere\n' };
  const post = `curl -s http://127.0.0.1:8787/jobs -H 'content-type: application/json' -d '{"agent":"nobody","input":"x"}'`;
  const at = { api: () => dev.api, command: async () => undefined };
  await expect(follow([get], at)).rejects.toThrow('ok');
  const wrong: Block = { language: 'json', text: '{"status":"succeeded"}' };
  await expect(follow([{ language: 'sh', text: post }, wrong], at)).rejects.toThrow('succeeded');
});
