import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { foreignInputs } from '../../scripts/size/measure.ts';
import { unzipReadOnly, zipFolder } from '../../scripts/size/zip.ts';
import { type Bundled, bundleFunctions, functionNames } from '../../src/bundle.ts';
import { moduleOptions } from '../../src/module-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'treadle-bundle-'));
const outDir = join(folder, 'out');
const agentsFile = join(folder, 'my', 'agents.ts');

/** What a stranger's module may look like: its own dependencies, another zod beside it, a `require` of its own. */
const agentsModule = `
import { createRequire } from 'node:module';
import * as z from 'zod';
import { defineAgent, defineTool } from 'treadle';
import { shout } from 'shouting';
const require = createRequire(import.meta.url);
const lookup = defineTool({
  name: 'lookup', description: shout('a tool of ' + typeof require), policy: 'pure',
  input: z.object({ id: z.string() }), run: async ({ id }: { id: string }) => id,
});
export const agents = [defineAgent({ name: 'mine', model: 'claude-haiku-5-5', system: 'x', tools: [lookup] })];
`;

function write(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

let bundled: Bundled;
beforeAll(() => {
  write(agentsFile, agentsModule);
  write(join(folder, 'my/node_modules/shouting/package.json'), '{"name":"shouting","main":"index.js"}');
  write(
    join(folder, 'my/node_modules/shouting/index.js'),
    'exports.shout = (text) => text.toUpperCase() + "!";',
  );
  write(join(folder, 'my/node_modules/zod/package.json'), '{"name":"zod","main":"index.js"}');
  write(join(folder, 'my/node_modules/zod/index.js'), 'throw new Error("another zod");');
  write(join(outDir, 'worker/old.mjs'), 'from an earlier run');
  bundled = bundleFunctions({ outDir, agents: agentsFile });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const filesOf = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

it.each(functionNames)('the folder of %s has everything that its files import, and nothing else', (name) => {
  const own = bundled.folderOf(name);
  const files = filesOf(own);
  const imported = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?"(\.\.?\/[^"]+)"/g)].map(([, path]) =>
      join(file, '..', path ?? ''),
    ),
  );
  expect(files).toContain(join(own, 'index.mjs'));
  expect(imported.filter((file) => !file.startsWith(own) || !existsSync(file))).toEqual([]);
  const unused = files.filter((file) => !imported.includes(file) && !file.endsWith('/index.mjs'));
  expect(unused).toEqual([]);
});

it('the agents of a module anywhere are bundled in, with what that module imports', async () => {
  const worker = join(bundled.folderOf('worker'), 'index.mjs');
  expect(readFileSync(worker, 'utf8')).toContain('toUpperCase()+"!"');
  expect(readFileSync(worker, 'utf8')).not.toContain('issue_refund');
  const { handler } = (await import(pathToFileURL(worker).href)) as { readonly handler: unknown };
  expect(handler).toBeTypeOf('function');
});

it('the same module loads here too, by the same options, though it makes a `require` of its own', () => {
  const outfile = join(folder, 'agents.mjs');
  buildSync({ ...moduleOptions, entryPoints: [agentsFile], outfile });
  const code = `const { agents } = await import(${JSON.stringify(pathToFileURL(outfile).href)});
    process.stdout.write(agents[0].tools.get('lookup').description);`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(said).toBe('A TOOL OF FUNCTION!');
});

it('a bundle for the vendor holds nothing of the providers of AWS', () => {
  const inputs = Object.keys(bundled.metafile.inputs);
  expect(
    inputs.filter((path) => /bedrock-sdk|aws-sdk\/client\.mjs$|credential-providers\//.test(path)),
  ).toEqual([]);
  expect(inputs.some((path) => path.includes('@anthropic-ai/sdk'))).toBe(true);
});

it('a bundle for a deployment without telemetry holds nothing of the SDK for it', () => {
  const inputs = Object.keys(bundled.metafile.inputs);
  expect(inputs.filter((path) => /opentelemetry\/(sdk|exporter|otlp)|adapters\/otel/.test(path))).toEqual([]);
  expect(inputs).toContain('src/telemetry/none.ts');
});

it('without a module the agent triage alone is bundled in, and none of those that teach', () => {
  const { metafile } = bundleFunctions({ outDir: join(folder, 'shipped') });
  const agents = Object.keys(metafile.inputs).filter((path) => path.startsWith('src/agents/'));
  expect(agents.sort()).toEqual(['src/agents/deployed.ts', 'src/agents/triage.ts']);
});

it('a module that exports no agents is named', () => {
  const empty = join(folder, 'empty.ts');
  writeFileSync(empty, 'export const agent = 1;');
  expect(() => bundleFunctions({ outDir: join(folder, 'other'), agents: empty })).toThrow(/"agents"/);
  expect(() => bundleFunctions({ outDir: join(folder, 'other'), agents: join(folder, 'none.ts') })).toThrow(
    /none\.ts/,
  );
});

it('nothing of the local system, of tests or of the stack is in a function, nor other languages than English', () => {
  expect(foreignInputs(bundled)).toEqual([]);
});

it('an archive of a folder is the same each time and unpacks to the same files, which cannot be written', () => {
  const archive = zipFolder(bundled.folderOf('worker'));
  expect(zipFolder(bundled.folderOf('worker')).equals(archive)).toBe(true);
  const unpacked = join(folder, 'unpacked');
  unzipReadOnly(archive, unpacked);
  const original = bundled.folderOf('worker');
  expect(filesOf(unpacked).map((file) => file.replace(unpacked, original))).toEqual(filesOf(original));
  for (const file of filesOf(unpacked)) {
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(file.replace(unpacked, original), 'utf8'));
    expect(statSync(file).mode & 0o222).toBe(0);
  }
});
