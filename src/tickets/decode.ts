import iconv from 'iconv-lite';
import { TerminalError } from '../core/errors.ts';
import { refuseOtherKinds } from './file-kind.ts';
import type { TicketSource } from './source.ts';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

const SNIFF_BYTES = 4096;
/** More control characters than this share make a file binary; fewer are dirt in a text. */
const MAX_CONTROL_SHARE = 0.05;
/** Windows-1252 leaves these bytes undefined; Japanese and Chinese encodings are full of them. */
const UNDEFINED_IN_1252: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

function unreadable(name: string): TerminalError {
  return new TerminalError(
    'unreadable_encoding',
    `${name} is not readable as text: save it as CSV or JSON in UTF-8 and try again`,
  );
}

/**
 * The encoding of a file, told by all its bytes: UTF-8, UTF-16 or, when it is neither, Windows-1252.
 * Throws `TerminalError` `unreadable_encoding` for anything else.
 */
export async function encodingOf(source: TicketSource): Promise<Encoding> {
  const head = await headOf(source);
  refuseOtherKinds(source.name, head);
  const sniffed = sniff(head);
  if (await isStrictly(source, sniffed)) return sniffed;
  if (sniffed !== 'utf-8') throw unreadable(source.name);
  const dirt = await dirtIn(source);
  if (dirt.nuls > 0) throw unreadable(source.name);
  // UTF-8 with a few broken bytes stays UTF-8: read as Windows-1252, all its other letters would break too.
  const repaired = dirt.broken < dirt.good * 0.1;
  if (!repaired && dirt.undefinedIn1252 > 0) throw unreadable(source.name);
  if (isBinary(dirt.control, repaired ? dirt.characters : dirt.bytes)) throw unreadable(source.name);
  return repaired ? 'utf-8' : 'windows-1252';
}

async function headOf(source: TicketSource): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of source.open()) {
    parts.push(Buffer.from(part.subarray(0, SNIFF_BYTES)));
    size += part.length;
    if (size >= SNIFF_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, SNIFF_BYTES);
}

/** A byte order mark settles it; without one, UTF-16 shows by NULs on one side of most byte pairs. */
function sniff(head: Buffer): Exclude<Encoding, 'windows-1252'> {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const pairs = Math.floor(head.length / 2);
  if (pairs === 0) return 'utf-8';
  let first = 0;
  let second = 0;
  for (let at = 0; at < 2 * pairs; at += 2) {
    if (head[at] === 0) first += 1;
    if (head[at + 1] === 0) second += 1;
  }
  if (second > pairs * 0.3 && first < pairs * 0.05) return 'utf-16le';
  if (first > pairs * 0.3 && second < pairs * 0.05) return 'utf-16be';
  return 'utf-8';
}

/** Whether every byte is as the encoding wants it. Throws when the text that comes out is none. */
async function isStrictly(source: TicketSource, encoding: Encoding): Promise<boolean> {
  let control = 0;
  let characters = 0;
  try {
    for await (const text of decoded(source, encoding, true)) {
      control += controlIn(text);
      characters += text.length;
    }
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
  if (isBinary(control, characters)) throw unreadable(source.name);
  return true;
}

interface Dirt {
  nuls: number;
  undefinedIn1252: number;
  control: number;
  /** Characters beyond ASCII that are whole, and those that are not. */
  good: number;
  broken: number;
  characters: number;
  bytes: number;
}

/** What is wrong with a file that is not wholly UTF-8. Its control characters are the same in both encodings. */
async function dirtIn(source: TicketSource): Promise<Dirt> {
  const dirt: Dirt = {
    ...{ nuls: 0, undefinedIn1252: 0, control: 0, good: 0, broken: 0, characters: 0, bytes: 0 },
  };
  const decoder = new TextDecoder('utf-8');
  const look = (text: string): void => {
    dirt.control += controlIn(text);
    dirt.characters += text.length;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0xfffd) dirt.broken += 1;
      else if (code > 127) dirt.good += 1;
    }
  };
  for await (const part of source.open()) {
    dirt.bytes += part.length;
    for (const byte of part) {
      if (byte === 0) dirt.nuls += 1;
      else if (UNDEFINED_IN_1252.has(byte)) dirt.undefinedIn1252 += 1;
    }
    look(decoder.decode(part, { stream: true }));
  }
  look(decoder.decode());
  return dirt;
}

function controlIn(text: string): number {
  let control = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 9 || (code > 13 && code < 32)) control += 1;
  }
  return control;
}

const isBinary = (control: number, characters: number): boolean =>
  control > 2 + characters * MAX_CONTROL_SHARE;

async function* decoded(source: TicketSource, encoding: Encoding, fatal: boolean): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal });
  for await (const part of source.open()) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

async function* fromWindows(source: TicketSource): AsyncGenerator<string> {
  const decoder = iconv.getDecoder('windows-1252');
  for await (const part of source.open()) yield decoder.write(Buffer.from(part));
  yield decoder.end() ?? '';
}

/** The text of a file in pieces, by the encoding that `encodingOf` told; a byte order mark is dropped. */
export function textOf(source: TicketSource, encoding: Encoding): AsyncGenerator<string> {
  return encoding === 'windows-1252' ? fromWindows(source) : decoded(source, encoding, false);
}

/** The whole text of a small file. */
export async function decode(source: TicketSource): Promise<string> {
  let whole = '';
  for await (const text of textOf(source, await encodingOf(source))) whole += text;
  return whole;
}
