import { createHash } from 'node:crypto';
import { TerminalError } from '../core/errors.ts';
import type { AcceptedRow } from '../ticket-rows.ts';
import type { ColumnMap } from '../tickets/columns.ts';
import { createKeyTable, keyOf } from '../tickets/key-table.ts';
import { rejectedLine } from '../tickets/results.ts';
import { emptyTally, type Tally, tally } from '../tickets/row.ts';
import { textKey } from '../tickets/text-key.ts';
import { type OnRead, type OpenFiles, openFiles } from './open-files.ts';
import { createSpool, type Spool, writeWhole } from './spool.ts';
import { createWarnings } from './warnings.ts';

/** What the input files hold: read through once, and to be read again. No row is kept. */
export interface Input {
  readonly tally: Tally;
  /** Equal for input whose accepted rows are the same, in the same order. */
  readonly digest: string;
  /** The accepted rows, as often as they are asked for. Throws when they are others than before. */
  readonly rows: () => AsyncGenerator<AcceptedRow>;
  /** By its place among the accepted rows: the place of the first row that says the same under another id. */
  readonly duplicateOf: ReadonlyMap<number, number>;
  /** Rows, by place, that have only a subject: a person looks at these as well. */
  readonly subjectOnly: ReadonlySet<number>;
  /** What is odd about the files as a whole, for people. */
  readonly warnings: readonly string[];
  /** The first that were rejected, for people. */
  readonly firstRejected: readonly { readonly line: number; readonly reason: string }[];
  /** Writes the rejected rows to a file, if there are any. */
  readonly writeRejected: (path: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Reads ticket files through; `-` is stdin. */
export async function openInput(
  names: readonly string[],
  map: ColumnMap | undefined,
  onRead?: OnRead,
): Promise<Input> {
  const files = await openFiles(names, map, onRead);
  const rejected = await createSpool();
  const close = async (): Promise<void> => void (await Promise.all([files.close(), rejected.close()]));
  try {
    const found = await readThrough(files, rejected);
    if (found.tally.read === 0) throw nothingIn(names);
    return {
      ...found,
      rows: () => rowsAgain(files, found.digest, names),
      writeRejected: async (path) => {
        if (found.tally.rejected > 0) await writeWhole(path, rejected.read());
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export function nothingIn(names: readonly string[]): TerminalError {
  return new TerminalError('nothing_to_read', `${names.join(', ')}: there is nothing to read in it`);
}

type Found = Omit<Input, 'rows' | 'writeRejected' | 'close'>;

const MOST_FIRST = 100;

async function readThrough(files: OpenFiles, rejected: Spool): Promise<Found> {
  let counts = emptyTally;
  const digest = createHash('sha256');
  const texts = createKeyTable(1);
  const duplicateOf = new Map<number, number>();
  const subjectOnly = new Set<number>();
  const firstRejected: { line: number; reason: string }[] = [];
  const warnings = createWarnings(files.files);
  for await (const outcome of files.outcomes()) {
    const place = counts.accepted;
    warnings.add(outcome);
    counts = tally(counts, outcome);
    if (outcome.type === 'rejected') {
      const { file, line, reason } = outcome;
      const named = file === undefined ? reason : `${file}: ${reason}`;
      if (firstRejected.length < MOST_FIRST) firstRejected.push({ line, reason: named });
      await rejected.write(rejectedLine(outcome));
    }
    if (outcome.type !== 'accepted') continue;
    digest.update(lineOf(outcome));
    if (outcome.subjectOnly) subjectOnly.add(place);
    if (outcome.noText) continue;
    const text = keyOf(textKey(outcome.ticket));
    const [first] = texts.get(text) ?? [];
    if (first === undefined) texts.set(text, [place]);
    else duplicateOf.set(place, first);
  }
  return {
    ...{ tally: counts, digest: digest.digest('hex'), duplicateOf, subjectOnly, firstRejected },
    warnings: warnings.list(),
  };
}

const lineOf = ({ line, ticket, fields }: AcceptedRow): string =>
  `${JSON.stringify([line, ticket, fields])}\n`;

async function* rowsAgain(
  files: OpenFiles,
  before: string,
  names: readonly string[],
): AsyncGenerator<AcceptedRow> {
  const digest = createHash('sha256');
  for await (const outcome of files.outcomes()) {
    if (outcome.type !== 'accepted') continue;
    digest.update(lineOf(outcome));
    yield outcome;
  }
  if (digest.digest('hex') !== before) {
    throw new TerminalError('input_changed', `${names.join(', ')} changed while it was read: try again`);
  }
}
