import { open, stat } from 'node:fs/promises';
import { TerminalError } from '../core/errors.ts';
import { withinBounds } from '../ticket-rows.ts';
import type { ColumnMap } from '../tickets/columns.ts';
import { createKeyTable, type KeyTable, keyOf } from '../tickets/key-table.ts';
import { createNewestRows, type NewestRows } from '../tickets/newest.ts';
import { openTickets, type TicketFile } from '../tickets/read.ts';
import { itemReason, placeOf, placeText, type RowOutcome } from '../tickets/row.ts';
import type { TicketSource } from '../tickets/source.ts';
import { bytesOf, createSpool } from './spool.ts';

/** Ticket files that were looked through once. */
export interface OpenFiles {
  readonly files: readonly OpenFile[];
  /** What became of every row of all files, as often as it is asked for. */
  readonly outcomes: () => AsyncGenerator<RowOutcome>;
  readonly close: () => Promise<void>;
}

export interface OpenFile {
  readonly name: string;
  readonly tickets: TicketFile;
}

/** Is told of all bytes that are read, pass by pass. */
export type OnRead = (file: string, readBytes: number, ofBytes: number) => void;

/** Opens ticket files; `-` is stdin. A file that is not there, or is a folder, is wrong usage. */
export async function openFiles(
  names: readonly string[],
  map: ColumnMap | undefined,
  onRead: OnRead = () => undefined,
): Promise<OpenFiles> {
  const sources: Source[] = [];
  const close = async (): Promise<void> => void (await Promise.all(sources.map((one) => one.close())));
  try {
    for (const name of names) sources.push(await openSource(name));
    const files: OpenFile[] = [];
    for (const source of sources) {
      const tickets = await openTickets(told(source, onRead), map === undefined ? {} : { map });
      files.push({ name: source.name, tickets });
    }
    return { files, outcomes: () => outcomesOf(files), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* outcomesOf(files: readonly OpenFile[]): AsyncGenerator<RowOutcome> {
  const seen = createKeyTable(5);
  const newest = await newestOf(files);
  for (const [at, file] of files.entries()) {
    for await (const read of file.tickets.outcomes()) {
      const outcome = withinBounds(read);
      if (files.length === 1) yield outcome;
      else yield { ...acrossFiles(outcome, { at, files, seen, newest }), file: file.name };
    }
  }
}

/** Which row of an id is the newest in all files; they are read once more for it, where more than one says when. */
async function newestOf(files: readonly OpenFile[]): Promise<NewestRows> {
  const newest = createNewestRows(files.some(({ tickets }) => tickets.dayFirst));
  const timed = files.filter(({ tickets }) => tickets.shape.columns.of.updatedAt.length > 0);
  if (timed.length < 2) return newest;
  for (const { tickets } of timed) {
    for await (const outcome of tickets.outcomes()) {
      if (outcome.type !== 'accepted' || outcome.updated === undefined) continue;
      newest.note(outcome.ticket.id, outcome.line, outcome.updated);
    }
  }
  return newest;
}

interface Across {
  readonly at: number;
  readonly files: readonly OpenFile[];
  /** By id: the file, the line, the content and the item, which is 0 for none. */
  readonly seen: KeyTable;
  readonly newest: NewestRows;
}

/** The rule for one id in two files is that for one id in two rows of a file: the newest counts, the same again, or rejected. */
function acrossFiles(outcome: RowOutcome, { at, files, seen, newest }: Across): RowOutcome {
  if (outcome.type !== 'accepted') return outcome;
  const { ticket, fields, updated = '' } = outcome;
  const ofLine = newest.insteadOf(ticket.id, updated);
  if (ofLine !== undefined) return { type: 'duplicate', ...placeOf(outcome), id: ticket.id, ofLine };
  const content = keyOf(JSON.stringify([ticket, fields]));
  const id = keyOf(ticket.id);
  const [file, firstLine, high, low, firstItem = 0] = seen.get(id) ?? [];
  if (file === undefined || firstLine === undefined) {
    seen.set(id, [at, outcome.line, content.high, content.low, outcome.item ?? 0]);
    return outcome;
  }
  const ofFile = files[file]?.name ?? '';
  const item = firstItem === 0 ? {} : { item: firstItem };
  const place = placeOf(outcome);
  if (content.high === high && content.low === low) {
    const ofItem = firstItem === 0 ? {} : { ofItem: firstItem };
    return { type: 'duplicate', ...place, id: ticket.id, ofLine: firstLine, ...ofItem, ofFile };
  }
  const first = placeText({ file: ofFile, line: firstLine, ...item });
  const reason = itemReason(outcome, `id ${ticket.id} was used in ${first}, with other content`);
  return { type: 'rejected', ...place, reason, raw: JSON.stringify({ ...fields, ...ticket }) };
}

interface Source extends TicketSource {
  readonly close: () => Promise<void>;
}

/** A file stays open for all passes, so that nothing that happens to its name comes between. */
async function openSource(name: string): Promise<Source> {
  if (name === '-') return spooled(name, process.stdin);
  const found = await stat(name).catch(() => undefined);
  if (found === undefined) throw new TerminalError('usage', `${name}: there is no such file`);
  if (found.isDirectory()) throw new TerminalError('usage', `${name} is a folder; name a ticket file in it`);
  const file = await open(name);
  if (found.isFile()) return { name, size: found.size, open: () => bytesOf(file), close: () => file.close() };
  try {
    return await spooled(name, file.createReadStream({ autoClose: false }));
  } finally {
    await file.close();
  }
}

/** What comes only once is kept in a temporary file, to be read as often as a file is. */
async function spooled(name: string, bytes: AsyncIterable<Uint8Array>): Promise<Source> {
  const spool = await createSpool();
  for await (const part of bytes) await spool.write(part);
  return { name, size: spool.size(), open: spool.read, close: spool.close };
}

function told(source: TicketSource, onRead: OnRead): TicketSource {
  return {
    ...source,
    open: async function* () {
      let read = 0;
      for await (const part of source.open()) {
        read += part.length;
        onRead(source.name, read, source.size);
        yield part;
      }
    },
  };
}
