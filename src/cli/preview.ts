import { ticketPrompt } from '../agents/triage.ts';
import { createCover, noOriginals } from '../core/placeholders.ts';
import { printedJson } from '../core/printed.ts';
import type { PrivateKind } from '../core/redact.ts';
import { type ColumnMap, type Field, fieldNames } from '../tickets/columns.ts';
import type { Format } from '../tickets/records.ts';
import {
  emptyTally,
  itemReason,
  placeOf,
  type RowOutcome,
  type RowPlace,
  type Tally,
  tally,
} from '../tickets/row.ts';
import { isThreadName } from '../tickets/thread.ts';
import { exitCode } from './exit-codes.ts';
import { hiddenThere } from './hidden-there.ts';
import { type OpenFile, openFiles } from './open-files.ts';
import { pickAgent } from './pick-agent.ts';
import { previewText } from './preview-text.ts';
import { nothingIn } from './read-input.ts';
import { createReadProgress } from './read-progress.ts';
import type { Terminal } from './terminal.ts';
import { createWarnings } from './warnings.ts';

export interface PreviewOptions {
  readonly files: readonly string[];
  readonly map: ColumnMap | undefined;
  readonly agent: string;
  readonly agents: string | undefined;
  /** The deployment that would run the tickets; it is not asked. */
  readonly endpoint?: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** A row and what became of it. */
export type PreviewRow = RowPlace & { readonly reason: string };

/** What `triage --preview --json` prints. */
export interface Preview extends Tally {
  readonly files: readonly FilePreview[];
  /** The first tickets as the model will read them: what the agent hides from it is hidden here. */
  readonly tickets: readonly (RowPlace & { readonly text: string })[];
  /** The first rejected rows. */
  readonly rejections: readonly PreviewRow[];
  /** The first rows that were skipped. */
  readonly skippedRows: readonly PreviewRow[];
  /** The first rows that are there already. */
  readonly duplicateRows: readonly PreviewRow[];
  /** What is odd about the files as a whole: what the run would say too. */
  readonly warnings: readonly string[];
}

export interface FilePreview {
  readonly name: string;
  readonly format: string;
  readonly encoding: string;
  readonly delimiter: string | null;
  /** Which export it was taken for. */
  readonly shape: string;
  /** The columns that gave each field its text; those of a thread are all read. */
  readonly fields: Readonly<Partial<Record<Field | 'thread', readonly string[]>>>;
  /** The fields of which all columns are taken; of the others it is the first with text. */
  readonly joined: readonly Field[];
  /** Columns of priorities that are bare numbers, which are not read. */
  readonly codes: readonly string[];
  /** Columns that no model sees: they go along into the results. */
  readonly along: readonly string[];
}

const SHOWN_TICKETS = 3;
const SHOWN_ROWS = 10;

/** Shows what files hold and how they will be read, before any money is spent. Returns the exit code. */
export async function preview(options: PreviewOptions, terminal: Terminal): Promise<number> {
  const { agent, agents, endpoint } = options;
  const hides = endpoint === undefined ? (await pickAgent(agent, agents)).redact : hiddenThere(agent);
  const progress = createReadProgress(terminal, options.quiet, Date.now);
  const found = await look(options, hides, progress.onRead).finally(progress.end);
  terminal.out(options.json ? `${printedJson(found)}\n` : previewText(found, terminal));
  return found.rejected > 0 ? exitCode.partly : exitCode.done;
}

async function look(
  { files: names, map }: PreviewOptions,
  hides: readonly PrivateKind[],
  onRead: Parameters<typeof openFiles>[2],
): Promise<Preview> {
  const open = await openFiles(names, map, onRead);
  try {
    let counts = emptyTally;
    const rows = { rejected: [], skipped: [], duplicate: [] } as Rows;
    const tickets: (RowPlace & { text: string })[] = [];
    const warnings = createWarnings(open.files);
    for await (const outcome of open.outcomes()) {
      counts = tally(counts, outcome);
      warnings.add(outcome);
      if (outcome.type !== 'accepted') noteRow(rows, outcome);
      else if (!outcome.noText && tickets.length < SHOWN_TICKETS)
        tickets.push({ ...placeOf(outcome), text: covered(ticketPrompt(outcome.ticket), hides) });
    }
    if (counts.read === 0) throw nothingIn(names);
    return {
      ...{ files: open.files.map(filePreview), ...counts, tickets, rejections: rows.rejected },
      ...{ skippedRows: rows.skipped, duplicateRows: rows.duplicate, warnings: warnings.list() },
    };
  } finally {
    await open.close();
  }
}

/** Each ticket is a job of its own, which counts anew what it hides. */
const covered = (text: string, hides: readonly PrivateKind[]): string =>
  hides.length === 0 ? text : createCover(hides, noOriginals).hide(text);

type Unaccepted = Exclude<RowOutcome, { type: 'accepted' }>;
type Rows = Record<Unaccepted['type'], PreviewRow[]>;

function noteRow(rows: Rows, outcome: Unaccepted): void {
  const shown = rows[outcome.type];
  if (shown.length < SHOWN_ROWS) shown.push({ ...placeOf(outcome), reason: reasonOf(outcome) });
}

function reasonOf(outcome: Unaccepted): string {
  switch (outcome.type) {
    case 'rejected':
      return outcome.reason;
    case 'skipped':
      return itemReason(outcome, outcome.reason);
    case 'duplicate': {
      const { id, ofLine, ofItem, ofFile } = outcome;
      const item = ofItem === undefined ? '' : `item ${ofItem} of `;
      const file = ofFile === undefined ? '' : ` of ${ofFile}`;
      return itemReason(outcome, `id ${id} is that of ${item}line ${ofLine}${file}, which counts`);
    }
    default:
      return outcome satisfies never;
  }
}

function filePreview({ name, tickets: { format, shape, names, use } }: OpenFile): FilePreview {
  const { of, mapped } = shape.columns;
  const joined = fieldNames.filter(
    (field) => mapped.has(field) || field === 'tags' || field === 'attachments',
  );
  const thread = shape.rowsOf === undefined && shape.answers === undefined ? use.thread : rowsAs(shape);
  const taken = new Set([...Object.values(use.of).flat(), ...use.thread]);
  const named = new Set(Object.values(of).flat());
  return {
    name,
    format: formatName(format),
    encoding: format.encoding,
    delimiter: format.type === 'csv' ? format.delimiter : null,
    shape: shape.name,
    fields: { ...use.of, ...(thread.length === 0 ? {} : { thread }) },
    joined,
    codes: use.codes,
    along: names.filter((column) => !taken.has(column) && (named.has(column) || !isThreadName(column))),
  };
}

/** Where rows are joined, the conversation is made of rows. */
const rowsAs = ({ rowsOf, answers }: OpenFile['tickets']['shape']): readonly string[] => [
  `the rows with one ${rowsOf ?? answers?.to ?? 'id'}`,
];

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
