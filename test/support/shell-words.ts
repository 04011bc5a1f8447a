import { spawnSync } from 'node:child_process';

/** The words that a shell makes of a command. */
export function wordsOf(command: string): readonly string[] {
  const program = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
  const shown = spawnSync('sh', ['-c', `"$0" -e '${program}' -- ${command}`, process.execPath], {
    encoding: 'utf8',
  });
  return JSON.parse(shown.stdout) as readonly string[];
}
