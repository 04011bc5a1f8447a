import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { cleanEnvironment, projectFile } from './processes.ts';

/** The package as others install it: a tarball in a folder that holds nothing else. */

let folder: string;
/** From where this machine installs, and by what it gets there: nothing else of its settings. */
const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
const reach = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    /^(https?|no)_proxy$|^NODE_EXTRA_CA_CERTS$/i.test(name) && value !== undefined ? [[name, value]] : [],
  ),
);

interface Ran {
  readonly code: number;
  readonly text: string;
}

/** Runs a program in the folder, or in another. */
function run(program: string, args: readonly string[], cwd = folder): Promise<Ran> {
  const env = cleanEnvironment({ npm_config_registry: registry, ...reach });
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 50_000_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: `${stdout}${stderr}` }),
    );
  });
}

const done = (ran: Ran): void => expect(ran, ran.text.slice(-3_000)).toMatchObject({ code: 0 });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'treadle-packed-'));
  done(await run('npm', ['pack', '--pack-destination', folder], projectFile('')));
  const [tarball = ''] = readdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}');
  done(await run('npm', ['install', '--no-audit', '--no-fund', `./${tarball}`]));
});

it('triages the sample tickets', async () => {
  const ran = await run('npx', ['--no', 'treadle', 'triage', '--quiet']);
  done(ran);
  expect(readdirSync(join(folder, 'triage-out'))).toContain('results.jsonl');
});

it('serves the console that it was packed with', async () => {
  const env = cleanEnvironment({});
  const child = spawn('npx', ['--no', 'treadle', 'dev', '--port', '0', '--json'], {
    cwd: folder,
    env,
    detached: true,
  });
  const line = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk) => resolve(String(chunk))),
  );
  const { console: address } = JSON.parse(line) as { readonly console: string };
  const script = await fetch(`${address}assets/console.js`);
  const built = readFileSync(join(folder, 'node_modules/treadle/dist/console/console.js'), 'utf8');
  expect([script.status, (await script.text()) === built]).toEqual([200, true]);
  expect(existsSync(join(folder, 'node_modules/treadle/src/console'))).toBe(false);
  const ended = new Promise((resolve) => child.once('close', resolve));
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await ended;
});

it('is imported by Node as it is', async () => {
  const imports = [
    "import { defineAgent } from 'treadle'; import { createClient } from 'treadle/client';",
    "import { simulate } from 'treadle/testing'; console.log(typeof defineAgent, typeof createClient, typeof simulate);",
  ];
  writeFileSync(join(folder, 'plain.mjs'), imports.join('\n'));
  const ran = await run(process.execPath, ['plain.mjs']);
  expect(ran).toEqual({ code: 0, text: 'function function function\n' });
});

const agents = `import { defineAgent, defineTool } from 'treadle';
import { createClient } from 'treadle/client';
import { simulate } from 'treadle/testing';
import * as z from 'zod';

const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ of: z.string() }),
  policy: 'pure',
  run: async ({ of }) => ({ found: of.length }),
});
export const agents = [defineAgent({ name: 'mine', model: 'scripted-1', system: 'Be short.', tools: [look] })];
export const others = [createClient, simulate];
`;

it('type-checks agents that are written against it, under strict settings', async () => {
  writeFileSync(join(folder, 'agents.ts'), agents);
  const strict = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', types: [] };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: strict, files: ['agents.ts'] }),
  );
  done(await run(process.execPath, [projectFile('node_modules/typescript/bin/tsc'), '-p', '.']));
  writeFileSync(join(folder, 'agents.ts'), agents.replace('of.length', 'of.size'));
  const wrong = await run(process.execPath, [projectFile('node_modules/typescript/bin/tsc'), '-p', '.']);
  expect(wrong.text).toContain("Property 'size' does not exist");
});

const app = `import { App, Stack } from 'aws-cdk-lib';
import { AgentWorker } from 'treadle/cdk';

const app = new App({ outdir: 'cdk.out' });
const { worker } = new AgentWorker(new Stack(app, 'Mine'), 'Agents', { agents: 'agents.ts' });
app.synth();
console.log(worker.node.path);
`;

it('puts a worker with agents of one’s own into one’s own stack', async () => {
  writeFileSync(join(folder, 'agents.ts'), agents);
  writeFileSync(join(folder, 'app.mjs'), app);
  // Who writes stacks has these.
  for (const name of ['aws-cdk-lib', 'constructs'])
    symlinkSync(projectFile(`node_modules/${name}`), join(folder, 'node_modules', name));
  done(await run(process.execPath, ['app.mjs']));
  const { Resources } = JSON.parse(readFileSync(join(folder, 'cdk.out/Mine.template.json'), 'utf8')) as {
    readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
  };
  const types = Object.values(Resources).map(({ Type }) => Type);
  expect(types.filter((type) => type === 'AWS::Lambda::Function')).toHaveLength(4);
  const bundles = readdirSync(join(folder, 'cdk.out'), { recursive: true }).map(String);
  const code = bundles
    .filter((name) => name.endsWith('index.mjs'))
    .map((name) => readFileSync(join(folder, 'cdk.out', name), 'utf8'));
  expect(code.filter((text) => text.includes('Looks something up.')).length).toBeGreaterThan(0);
});
