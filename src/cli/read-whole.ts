import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { TerminalError } from '../core/errors.ts';

/** More than this is no list of cases that somebody labelled. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * All bytes of a file; `-` is stdin. A file that is not there, or is a folder, is wrong usage; one that may not be read or
 * is too large is `unreadable_file`.
 */
export async function readWhole(file: string): Promise<Uint8Array> {
  if (file !== '-') {
    const found = await stat(file).catch(() => undefined);
    if (found === undefined) throw new TerminalError('usage', `${file}: there is no such file`);
    if (found.isDirectory()) throw new TerminalError('usage', `${file} is a folder; name a file in it`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      const bytes: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > MAX_BYTES) break;
      chunks.push(bytes);
    }
  } catch (cause) {
    throw new TerminalError('unreadable_file', `${file}: it cannot be read`, { cause });
  }
  if (size > MAX_BYTES) {
    throw new TerminalError('unreadable_file', `${file} has more than ${MAX_BYTES} bytes`);
  }
  return Buffer.concat(chunks);
}
