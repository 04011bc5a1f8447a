import { CommanderError } from 'commander';
import { readOptions } from './chaos/options.ts';
import { report } from './chaos/report.ts';
import { runChaos } from './chaos/run.ts';

/** Real processes, killed at random, on servers that misbehave; the exit code is 0 only if every promise was kept. */
async function main(args: readonly string[]): Promise<number> {
  const outcome = await runChaos(readOptions(args), (line) => process.stderr.write(`${line}\n`));
  process.stdout.write(report(outcome));
  return outcome.violations.length === 0 ? 0 : 1;
}

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
// The workers die with this process, whatever ends it: an exit kills them, and they watch for its death themselves.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
