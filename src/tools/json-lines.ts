import { appendFileSync, readFileSync } from 'node:fs';

/** Appends a value to a file as one line of JSON. */
export function appendJsonLine(file: string, value: unknown): void {
  // A process that was killed while it wrote may have left half a line, to which nothing may be joined.
  const text = readText(file);
  const start = text === '' || text.endsWith('\n') ? '' : '\n';
  appendFileSync(file, `${start}${JSON.stringify(value)}\n`);
}

/** The lines of a file that are JSON, oldest first; none where there is no file. */
export function readJsonLines(file: string): readonly unknown[] {
  return readText(file)
    .split('\n')
    .flatMap((line) => parsed(line));
}

function parsed(line: string): readonly unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

/** The path that a variable names at the time of the call, if any. */
export function pathFrom(variable: string): string | undefined {
  const path = process.env[variable];
  return path === undefined || path === '' ? undefined : path;
}
