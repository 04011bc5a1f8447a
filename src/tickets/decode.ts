import iconv from 'iconv-lite';
import { TerminalError } from '../core/errors.ts';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** A whole file is held in memory as a string, and strings end at half a gigabyte. */
const MAX_BYTES = 256 * 1024 * 1024;
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

async function gather(bytes: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > MAX_BYTES) {
      throw new TerminalError('file_too_large', `${name} is larger than 256 MiB: split it and try again`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A byte order mark settles it; without one, UTF-16 shows by NULs on one side of most byte pairs. */
function sniff(head: Buffer): Encoding {
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

/** UTF-8 with a few broken bytes stays UTF-8: read as Windows-1252, all its other letters would break too. */
function repaired(whole: Buffer): string | undefined {
  const text = new TextDecoder('utf-8').decode(whole);
  let broken = 0;
  let good = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken += 1;
    else if (code > 127) good += 1;
  }
  return broken < good * 0.1 ? text : undefined;
}

function fromBytes(whole: Buffer, name: string): string {
  const encoding = sniff(whole.subarray(0, SNIFF_BYTES));
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(whole);
  } catch (cause) {
    if (encoding !== 'utf-8' || whole.includes(0)) throw unreadable(name);
    if (!(cause instanceof TypeError)) throw cause;
  }
  const text = repaired(whole);
  if (text !== undefined) return text;
  if (whole.some((byte) => UNDEFINED_IN_1252.has(byte))) throw unreadable(name);
  return iconv.decode(whole, 'windows-1252');
}

function isBinary(text: string): boolean {
  let control = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 9 || (code > 13 && code < 32)) control += 1;
  }
  return control > 2 + text.length * MAX_CONTROL_SHARE;
}

/**
 * The text of a file in UTF-8, UTF-16 or, when it is neither, Windows-1252; a byte order mark is dropped.
 * Throws `TerminalError`: `unreadable_encoding` for anything else, `file_too_large` beyond 256 MiB.
 */
export async function decode(bytes: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const text = fromBytes(await gather(bytes, name), name);
  if (isBinary(text)) throw unreadable(name);
  return text;
}
