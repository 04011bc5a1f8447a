import { createInterface } from 'node:readline/promises';
import { exitCode } from './exit-codes.ts';

/** Where a command writes: results to stdout, progress and logs to stderr. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Progress may be redrawn in place. */
  readonly live: boolean;
  readonly color: boolean;
  /** Columns of stdout: without end where it goes into a file or another program, so that nothing is cut there. */
  readonly width: number;
  /** Columns of stderr, on which progress is drawn; the window may change while it is. @default those of stdout */
  readonly errWidth?: number;
  /** What is written to stdout goes into a file or another program. */
  readonly piped?: boolean;
  /** Asks a question; an empty answer where the input ends. Undefined where nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Settles once a slow reader has taken most of what was written to stdout. @default nobody is slow */
  readonly drained?: () => Promise<void>;
}

/** Whoever read the output may have seen enough: `| head` is no error of ours. */
const onBrokenPipe = (error: NodeJS.ErrnoException): never => process.exit(error.code === 'EPIPE' ? 0 : 1);

/** Room for a line that is redrawn: one that fills the last column may wrap. */
export const boardWidth = ({ width, errWidth = width }: Pick<Terminal, 'width' | 'errWidth'>): number =>
  errWidth - 1;

/** Some terminals do not say how wide they are, or say 0. */
const columnsOf = ({ columns }: NodeJS.WriteStream): number => columns || 100;

export function processTerminal(): Terminal {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(onBrokenPipe)) stream.on('error', onBrokenPipe);
  }
  const dumb = process.env['TERM'] === 'dumb';
  const live = process.stderr.isTTY === true && !dumb;
  const asks = process.stdin.isTTY === true && process.stderr.isTTY === true;
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    live,
    color: process.stdout.isTTY === true && !dumb && (process.env['NO_COLOR'] ?? '') === '',
    get width() {
      return process.stdout.isTTY === true ? columnsOf(process.stdout) : Number.POSITIVE_INFINITY;
    },
    get errWidth() {
      return columnsOf(process.stderr);
    },
    piped: process.stdout.isTTY !== true,
    ask: asks ? (question) => askOn(process.stdin, process.stderr, question) : undefined,
    drained: async () => {
      if (process.stdout.writableNeedDrain)
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    },
  };
}

/** Asks on these streams. Ctrl-C is what it is everywhere else: a signal to the process. */
export async function askOn(
  input: NodeJS.ReadableStream & { readonly readableEnded?: boolean },
  output: NodeJS.WritableStream,
  question: string,
): Promise<string> {
  if (input.readableEnded === true) return '';
  const lines = createInterface({ input, output });
  try {
    // A question is never answered once its lines are closed.
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    lines.once('SIGINT', () => {
      if (!process.emit('SIGINT', 'SIGINT')) process.exit(exitCode.interrupted);
      lines.close();
    });
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}
