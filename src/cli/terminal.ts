import { createInterface } from 'node:readline/promises';

/** Where a command writes: results to stdout, progress and logs to stderr. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Progress may be redrawn in place. */
  readonly live: boolean;
  readonly color: boolean;
  readonly width: number;
  /** Asks a question; undefined where nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Settles once a slow reader has taken most of what was written to stdout. @default nobody is slow */
  readonly drained?: () => Promise<void>;
}

export function processTerminal(): Terminal {
  // Whoever read the output may have seen enough: `| head` is no error of ours.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  }
  const live = process.stderr.isTTY === true && process.env['TERM'] !== 'dumb';
  const asks = process.stdin.isTTY === true && process.stderr.isTTY === true;
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    live,
    color: process.stdout.isTTY === true && (process.env['NO_COLOR'] ?? '') === '',
    width: process.stdout.columns || 100,
    ask: asks ? ask : undefined,
    drained: async () => {
      if (process.stdout.writableNeedDrain)
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    },
  };
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // While a line is read, Ctrl-C is a key; it means what it means everywhere else.
  const interrupted = new Promise<string>((resolve) => {
    lines.once('SIGINT', () => {
      if (!process.emit('SIGINT', 'SIGINT')) process.exit(130);
      resolve('');
    });
  });
  try {
    return await Promise.race([lines.question(question), interrupted]);
  } finally {
    lines.close();
  }
}
