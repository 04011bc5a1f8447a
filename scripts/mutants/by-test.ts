import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Edit } from '../simulate/bundle.ts';
import { type Mutant, mutants } from './list.ts';

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

interface TestReport {
  readonly testResults: readonly { readonly assertionResults: readonly TestResult[] }[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs tests, over the sources as they are or with an edit made. */
async function runTests(args: readonly string[], edit?: Edit): Promise<readonly TestResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'treadle-mutant-'));
  const report = join(folder, 'report.json');
  const config = ['--config', join(root, 'scripts/mutants/vitest.config.ts')];
  const env = { ...process.env, ...(edit === undefined ? {} : { TREADLE_MUTANT: JSON.stringify(edit) }) };
  await new Promise<void>((resolve) => {
    execFile(
      process.platform === 'win32' ? 'npx.cmd' : 'npx',
      ['vitest', 'run', ...args, ...config, '--reporter=json', `--outputFile=${report}`],
      { cwd: root, env },
      () => resolve(),
    );
  });
  try {
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as TestReport;
    return testResults.flatMap(({ assertionResults }) => assertionResults);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The tests that pass over the sources as they are, of all files that mutants name: run once. */
let passing: Promise<ReadonlySet<string>> | undefined;

async function passingTests(): Promise<ReadonlySet<string>> {
  const files = new Set(mutants.flatMap(({ test }) => (test === undefined ? [] : [test.file])));
  const results = await runTests([...files]);
  return new Set(results.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName));
}

/**
 * The name of the test that an assertion of it failed in, over the mutated source; undefined when none did. The same
 * tests must pass over the source as it is; a time-out or an exception is no kill.
 */
export async function killByTest({ test, ...edit }: Mutant): Promise<string | undefined> {
  if (test === undefined) return undefined;
  passing ??= passingTests();
  const good = await passing;
  const failed = (await runTests([test.file, '-t', test.name], edit)).find(
    ({ fullName, status, failureMessages }) =>
      status === 'failed' &&
      good.has(fullName) &&
      failureMessages.some((message) => message.startsWith('AssertionError')),
  );
  return failed?.fullName;
}
