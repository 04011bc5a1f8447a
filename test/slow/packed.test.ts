import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { cleanEnvironment, newFolder, projectFile } from './processes.ts';

const folder = newFolder();

const agents = `
import { defineAgent, defineTool } from 'treadle';
import * as z from 'zod';
const lookup = defineTool({
  name: 'lookup', description: 'Looks up', policy: 'pure',
  input: z.object({ id: z.string() }), run: async ({ id }) => ({ id: id.toUpperCase() }),
});
export const agents = [defineAgent({ name: 'mine', model: 'claude-haiku-5-5', system: 'x', tools: [lookup] })];
`;

const uses = `
import { createClient } from 'treadle/client';
import { simulate } from 'treadle/testing';
export const both = [createClient, simulate];
`;

const config = (files: readonly string[]) =>
  JSON.stringify({
    compilerOptions: { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, types: [] },
    files,
  });

/** The archive as npm would install it, beside the packages that are installed here: no registry is asked. */
beforeAll(() => {
  const out = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    ...{ cwd: projectFile(''), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  });
  const [, archive = ''] = /"filename":\s*"([^"]+)"/.exec(out) ?? [];
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'treadle'), { recursive: true });
  const link = (name: string) => symlinkSync(projectFile(`node_modules/${name}`), join(modules, name));
  for (const name of readdirSync(projectFile('node_modules'))) if (name !== '@anthropic-ai') link(name);
  // Of the vendor's packages only the one that is no optional peer.
  mkdirSync(join(modules, '@anthropic-ai'));
  link('@anthropic-ai/sdk');
  const unpack = ['xzf', join(folder, archive), '--strip-components=1', '-C', join(modules, 'treadle')];
  execFileSync('tar', unpack);
  writeFileSync(join(folder, 'package.json'), '{"name":"app","type":"module"}');
  writeFileSync(join(folder, 'agents.ts'), agents);
  writeFileSync(join(folder, 'uses.ts'), uses);
});

function run(command: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    ...{ cwd: folder, env: cleanEnvironment(), encoding: 'utf8' },
  });
  return { status, text: `${stdout}${stderr}` };
}
const node = (...args: readonly string[]) => run(process.execPath, ...args);
const tsc = (...files: readonly string[]) => {
  writeFileSync(join(folder, 'tsconfig.json'), config(files));
  return node('node_modules/typescript/bin/tsc', '-p', '.');
};

it('holds neither tests nor scripts', () => {
  expect(readdirSync(join(folder, 'node_modules/treadle')).sort()).toEqual(
    ['CHANGELOG.md', 'LICENSE', 'README.md', 'examples', 'functions', 'lib', 'package.json', 'src'].sort(),
  );
});

it('its command triages tickets in an empty folder', () => {
  writeFileSync(join(folder, 't.csv'), 'id,subject,description\n1,Where is it?,Where is ORD-1001?\n');
  const { status, text } = node('node_modules/treadle/src/cli/treadle.mjs', 'triage', 't.csv', '--json');
  expect([status, text]).toEqual([0, expect.stringContaining('"accepted":1')]);
});

it('type-checks under the strictest common settings, and refuses what is wrong', () => {
  expect(tsc('agents.ts', 'uses.ts')).toEqual({ status: 0, text: '' });
  writeFileSync(join(folder, 'wrong.ts'), agents.replace("name: 'mine'", 'name: 1'));
  expect(tsc('wrong.ts').text).toContain("Type 'number' is not assignable to type 'string'");
});

it('is imported by plain Node', () => {
  const code = `const all = await Promise.all(['treadle', 'treadle/client', 'treadle/testing'].map((name) => import(name)));
    process.stdout.write(all.map(({ defineAgent, createClient, simulate }) => typeof (defineAgent ?? createClient ?? simulate)).join());`;
  expect(node('--input-type=module', '-e', code)).toEqual({ status: 0, text: 'function,function,function' });
});

it("bundles the functions with a folder's own agents", () => {
  const code = `import { bundleFunctions } from './node_modules/treadle/src/bundle.ts';
    const { folderOf } = bundleFunctions({ outDir: 'out', agents: './agents.ts' });
    const { handler } = await import(folderOf('worker') + '/index.mjs');
    process.stdout.write(typeof handler);`;
  writeFileSync(join(folder, 'bundle.ts'), code);
  expect(node('--import', 'tsx', 'bundle.ts')).toEqual({ status: 0, text: 'function' });
});

it('says what to install for a provider whose package is not there', () => {
  const code = `import { bundleFunctions } from './node_modules/treadle/src/bundle.ts';
    try { bundleFunctions({ outDir: 'none', provider: 'bedrock' }); } catch (error) { process.stdout.write(error.message); }`;
  writeFileSync(join(folder, 'missing.ts'), code);
  expect(node('--import', 'tsx', 'missing.ts').text).toBe(
    'the provider bedrock needs a package that is not there: npm install @anthropic-ai/bedrock-sdk',
  );
});
