import { ticketPrompt } from '../agents/triage.ts';
import { cleanText } from '../core/safe-json.ts';
import { type ColumnMap, type Field, fieldNames } from '../tickets/columns.ts';
import { fitted } from '../tickets/padded.ts';
import type { Format } from '../tickets/records.ts';
import { emptyTally, type Tally, tally } from '../tickets/row.ts';
import { isThreadName } from '../tickets/thread.ts';
import { exitCode } from './exit-codes.ts';
import { type OpenFile, openFiles } from './open-files.ts';
import { nothingIn } from './read-input.ts';
import { createReadProgress } from './read-progress.ts';
import type { Terminal } from './terminal.ts';

export interface PreviewOptions {
  readonly files: readonly string[];
  readonly map: ColumnMap | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** What `triage --preview --json` prints. */
export interface Preview extends Tally {
  readonly files: readonly FilePreview[];
  /** The first tickets as the model will read them. */
  readonly tickets: readonly { readonly line: number; readonly text: string }[];
  /** The first rejected rows. */
  readonly rejections: readonly { readonly line: number; readonly reason: string }[];
}

interface FilePreview {
  readonly name: string;
  readonly format: string;
  readonly encoding: string;
  readonly delimiter: string | null;
  /** Which export it was taken for. */
  readonly shape: string;
  /** The columns of each field; those of a thread are all read. */
  readonly fields: Readonly<Partial<Record<Field | 'thread', readonly string[]>>>;
  /** Columns that no model sees: they go along into the results. */
  readonly along: readonly string[];
}

const SHOWN_TICKETS = 3;
const SHOWN_REJECTIONS = 10;
const SHOWN_LINES = 12;
const SHOWN_COLUMNS = 40;
/** Columns of the terminal that the word in front of a line takes. */
const LABEL = 9;

/** Shows what files hold and how they will be read, before any money is spent. Returns the exit code. */
export async function preview(options: PreviewOptions, terminal: Terminal): Promise<number> {
  const progress = createReadProgress(terminal, options.quiet, Date.now);
  const found = await look(options, progress.onRead).finally(progress.end);
  terminal.out(options.json ? `${JSON.stringify(found)}\n` : textOf(found, terminal.width));
  return found.rejected > 0 ? exitCode.partly : exitCode.done;
}

async function look(
  { files: names, map }: PreviewOptions,
  onRead: Parameters<typeof openFiles>[2],
): Promise<Preview> {
  const open = await openFiles(names, map, onRead);
  try {
    let counts = emptyTally;
    const tickets: { line: number; text: string }[] = [];
    const rejections: { line: number; reason: string }[] = [];
    for await (const outcome of open.outcomes()) {
      counts = tally(counts, outcome);
      const { line } = outcome;
      if (outcome.type === 'accepted' && !outcome.noText && tickets.length < SHOWN_TICKETS)
        tickets.push({ line, text: ticketPrompt(outcome.ticket) });
      if (outcome.type === 'rejected' && rejections.length < SHOWN_REJECTIONS)
        rejections.push({ line, reason: outcome.reason });
    }
    if (counts.read === 0) throw nothingIn(names);
    return { files: open.files.map(filePreview), ...counts, tickets, rejections };
  } finally {
    await open.close();
  }
}

function filePreview({ name, tickets: { format, shape, names } }: OpenFile): FilePreview {
  const { of } = shape.columns;
  const taken = new Set(Object.values(of).flat());
  const threads = names.filter((column) => isThreadName(column) && !taken.has(column));
  const fields = Object.fromEntries(
    fieldNames.filter((field) => of[field].length > 0).map((field) => [field, of[field]]),
  );
  return {
    name,
    format: formatName(format),
    encoding: format.encoding,
    delimiter: format.type === 'csv' ? format.delimiter : null,
    shape: shape.name,
    fields: { ...fields, ...(threads.length === 0 ? {} : { thread: threads }) },
    along: names.filter((column) => !taken.has(column) && !isThreadName(column)),
  };
}

function formatName(format: Format): string {
  switch (format.type) {
    case 'empty':
      return 'empty';
    case 'lines':
      return 'JSON Lines';
    case 'csv':
      return 'delimited text';
    case 'json':
      return format.place.type === 'list' ? 'JSON list' : 'JSON object';
    default:
      return format satisfies never;
  }
}

function textOf(found: Preview, width: number): string {
  const { files, tickets, rejections } = found;
  const counts = `${found.read} read = ${found.accepted} accepted + ${found.rejected} rejected + ${found.skipped} skipped + ${found.duplicates} duplicates`;
  const more = found.rejected - rejections.length;
  return [
    ...files.flatMap((file) => fileLines(file, width)),
    ...tickets.flatMap(({ line, text }) => [
      '',
      `line ${line}, as the model will read it:`,
      ...cut(text, width),
    ]),
    '',
    `rows     ${counts}`,
    ...rejections.map(({ line, reason }) => fitted(`rejected line ${line}: ${reason}`, width)),
    ...(more > 0 ? [`rejected … and ${more} more`] : []),
    'Nothing was sent and no money was spent: without --preview these tickets are triaged.',
    '',
  ].join('\n');
}

function fileLines(file: FilePreview, width: number): readonly string[] {
  const { name, format, encoding, delimiter, shape, fields, along } = file;
  const split = delimiter === null ? '' : `, ${delimiterName(delimiter)}`;
  const list = (columns: readonly string[]): string => {
    const shown = columns.slice(0, SHOWN_COLUMNS).map(cleanText).join(', ');
    return columns.length > SHOWN_COLUMNS ? `${shown} and ${columns.length - SHOWN_COLUMNS} more` : shown;
  };
  const line = (label: string, text: string): string =>
    label.padEnd(LABEL) + fitted(text, Math.max(LABEL, width - LABEL));
  return [
    `${'file'.padEnd(LABEL)}${cleanText(name)}`,
    line('format', `${format} in ${encoding}${split}`),
    line('export', shape),
    ...Object.entries(fields).map(([field, columns]) => line('reads', `${field} ← ${list(columns)}`)),
    ...(along.length === 0 ? [] : [line('along', `into the results only: ${list(along)}`)]),
  ];
}

function delimiterName(delimiter: string): string {
  if (delimiter === '\t') return 'split by tabs';
  return delimiter < ' ' ? 'one column' : `split by "${delimiter}"`;
}

/** The first lines of a text, each no wider than the screen. */
function cut(text: string, width: number): readonly string[] {
  const lines = text.split('\n');
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `  ${fitted(line, Math.max(LABEL, width - 2))}`);
  const left = lines.length - SHOWN_LINES;
  return left > 0 ? [...shown, `  … and ${left} more ${left === 1 ? 'line' : 'lines'}`] : shown;
}
