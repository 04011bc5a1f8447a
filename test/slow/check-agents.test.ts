import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkAgents } from '../../infra/check-agents.ts';
import { inspectAgents } from '../../src/inspect-agents.ts';

const one = (name: string, model = 'claude-haiku-5-5'): string =>
  `defineAgent({ name: '${name}', model: '${model}', system: 'Be short.', tools: [] })`;
const head = "import { defineAgent } from 'treadle';\n";

function moduleOf(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'treadle-test-')), 'agents.ts');
  writeFileSync(file, text);
  return file;
}

const refused: readonly (readonly [what: string, text: string, words: RegExp])[] = [
  ['that throws', "throw new Error('boom');", /does not load: boom$/],
  ['that throws a text with an empty line first', "throw new Error('\\nboom');", /does not load: boom$/],
  ['that ends the process', 'process.exit(3);', /does not load: it ended the process with code 3$/],
  [
    'that ends the process well',
    'process.exit(0);',
    /does not load: it ended the process while it was loaded$/,
  ],
  ['that waits for nothing', 'await new Promise(() => {});', /it waits for something that never comes$/],
  ['with a wrong word', 'export const agents = ;', /does not load: .*agents\.ts:1: Unexpected ";"$/],
  [
    'of a missing package',
    "import 'none-such';",
    /does not load: .*agents\.ts:1: Could not resolve "none-such"$/,
  ],
  ['without agents', 'export const others = 1;', /does not export `agents`/],
  ['with an empty list', 'export const agents = [];', /does not export `agents`/],
  ['with plain objects', "export const agents = [{ name: 'a' }];", /does not export `agents`/],
  [
    'with one name twice',
    `${head}export const agents = [${one('a')}, ${one('a')}];`,
    /has two agents named a$/,
  ],
  [
    'with a model of no price',
    `${head}export const agents = [${one('a', 'gpt-9')}];`,
    /model gpt-9 has no price/,
  ],
];

it.each(refused)('a module %s is refused with one sentence that names it', (_, text, words) => {
  const file = moduleOf(text);
  const refusal = (): void => checkAgents(file, undefined);
  expect(refusal).toThrow(words);
  expect(refusal).toThrow(`AgentWorker: agents: ${file} `);
});

it('a module that does not come to an end is given up', () => {
  const module = moduleOf('await new Promise((resolve) => setTimeout(resolve, 60_000));');
  expect(inspectAgents(module, 500)).toEqual({ error: 'it was not loaded after 0.5 s' });
});

it('a module that prints, and whose models have prices, is taken', () => {
  const text = `${head}console.log('hello');\nexport const agents = [${one('a')}, ${one('b', 'own')}];`;
  const rates = { input: 1, output: 1, cacheWrite5m: 1, cacheWrite1h: 1, cacheRead: 1 };
  const own = { ...rates, minCacheTokens: 1_024, maxOutputTokens: 4_096 };
  expect(() => checkAgents(moduleOf(text), { own })).not.toThrow();
});
