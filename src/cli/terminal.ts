import { createInterface } from 'node:readline/promises';

/** Where a command writes: results to stdout, progress and logs to stderr. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Progress may be redrawn in place. */
  readonly live: boolean;
  readonly color: boolean;
  readonly width: number;
  /** What is written to stdout goes into a file or another program. */
  readonly piped?: boolean;
  /** Asks a question; undefined where nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

export function processTerminal(): Terminal {
  // Whoever read the output may have seen enough: `| head` is no error of ours.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  }
  const live = process.stderr.isTTY === true;
  const asks = process.stdin.isTTY === true && live;
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    live,
    color: process.stdout.isTTY === true && (process.env['NO_COLOR'] ?? '') === '',
    width: process.stdout.columns || 100,
    piped: process.stdout.isTTY !== true,
    ask: asks ? ask : undefined,
  };
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
