import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** A temporary file without a name: it is gone when it is closed, and also when the process dies. */
export interface Spool {
  readonly write: (data: string | Uint8Array) => Promise<void>;
  readonly read: () => AsyncGenerator<Uint8Array>;
  /** So many of the bytes that were written, from a place on. */
  readonly part: (at: number, length: number) => Promise<Buffer>;
  readonly size: () => number;
  readonly close: () => Promise<void>;
}

const PIECE_BYTES = 256 * 1024;

export async function createSpool(): Promise<Spool> {
  const folder = await mkdtemp(join(tmpdir(), 'treadle-'));
  const file = await open(join(folder, 'spool'), 'wx+', 0o600);
  await rm(folder, { recursive: true });
  let size = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const flush = async (): Promise<void> => {
    await file.appendFile(Buffer.concat(waiting));
    waiting = [];
    waitingBytes = 0;
  };
  return {
    write: async (data) => {
      const bytes = Buffer.from(data);
      waiting.push(bytes);
      size += bytes.length;
      waitingBytes += bytes.length;
      if (waitingBytes >= PIECE_BYTES) await flush();
    },
    read: async function* () {
      await flush();
      yield* bytesOf(file);
    },
    part: async (at, length) => {
      await flush();
      const part = Buffer.allocUnsafe(length);
      for (let had = 0; had < length; ) {
        const { bytesRead } = await file.read(part, had, length - had, at + had);
        if (bytesRead === 0) throw new Error(`a temporary file ends at byte ${at + had}`);
        had += bytesRead;
      }
      return part;
    },
    size: () => size,
    close: () => file.close(),
  };
}

/** The bytes of an open file from its start, in one buffer that is filled anew for each piece. */
export async function* bytesOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The lines of a text in UTF-8; what stands behind the last line break is none. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Writes a file beside its place and moves it there whole, so that a reader never sees half of one. */
export async function writeWhole(path: string, parts: AsyncIterable<string | Uint8Array>): Promise<void> {
  // Copied, because a stream takes the next piece before the last one is on the disk.
  const copied = async function* (): AsyncGenerator<Buffer> {
    for await (const part of parts) yield Buffer.from(part);
  };
  await pipeline(copied, createWriteStream(`${path}.part`));
  await rename(`${path}.part`, path);
}
