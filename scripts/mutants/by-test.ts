import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './list.ts';

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

interface TestReport {
  readonly testResults: readonly { readonly assertionResults: readonly TestResult[] }[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the test that a mutant names, with or without its edit. */
async function runTest({ test, ...edit }: Mutant, broken: boolean): Promise<readonly TestResult[]> {
  if (test === undefined) return [];
  const folder = await mkdtemp(join(tmpdir(), 'treadle-mutant-'));
  const report = join(folder, 'report.json');
  const config = join(root, 'scripts/mutants/vitest.config.ts');
  const args = ['vitest', 'run', test.file, '-t', test.name, '--config', config];
  const env = { ...process.env, ...(broken ? { TREADLE_MUTANT: JSON.stringify(edit) } : {}) };
  await new Promise<void>((resolve) => {
    execFile(
      process.platform === 'win32' ? 'npx.cmd' : 'npx',
      [...args, '--reporter=json', `--outputFile=${report}`],
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

/**
 * The name of the test that an assertion of it failed in, over the mutated source; undefined when none did. The same
 * tests must pass over the source as it is; a time-out or an exception is no kill.
 */
export async function killByTest(mutant: Mutant): Promise<string | undefined> {
  const failed = (await runTest(mutant, true)).find(
    ({ status, failureMessages }) =>
      status === 'failed' && failureMessages.some((message) => message.startsWith('AssertionError')),
  );
  if (failed === undefined) return undefined;
  const whole = await runTest(mutant, false);
  const passes = whole.some(({ fullName, status }) => fullName === failed.fullName && status === 'passed');
  return passes ? failed.fullName : undefined;
}
