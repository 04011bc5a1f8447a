import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

export interface ImportTime {
  readonly wallMs: number;
  /** Of the processor, on all threads: a busy machine adds little to it. */
  readonly cpuMs: number;
}

/** Loads a module in a process of its own, and tells what that took. */
function importTime(file: string): ImportTime {
  const code = `
    const before = performance.now();
    const used = process.cpuUsage();
    await import(${JSON.stringify(pathToFileURL(file).href)});
    const { user, system } = process.cpuUsage(used);
    const time = { wallMs: performance.now() - before, cpuMs: (user + system) / 1000 };
    process.stdout.write(JSON.stringify(time));
    process.exit();`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }),
  );
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const medians = (times: readonly ImportTime[]): ImportTime => ({
  wallMs: median(times.map(({ wallMs }) => wallMs)),
  cpuMs: median(times.map(({ cpuMs }) => cpuMs)),
});

/** The median import times of two modules, loaded in turns so that a busy machine is so for both. */
export function compareImports(
  one: string,
  other: string,
  rounds: number,
): readonly [ImportTime, ImportTime] {
  const times: [ImportTime, ImportTime][] = [];
  for (let round = 0; round < rounds; round += 1) times.push([importTime(one), importTime(other)]);
  return [medians(times.map(([first]) => first)), medians(times.map(([, second]) => second))];
}
