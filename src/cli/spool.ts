import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** A temporary file without a name: it is gone when it is closed, and also when the process dies. */
export interface Spool {
  readonly write: (data: string | Uint8Array) => Promise<void>;
  readonly read: () => AsyncGenerator<Uint8Array>;
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

/** Writes a file beside its place and moves it there whole, so that a reader never sees half of one. */
export async function writeWhole(path: string, parts: AsyncIterable<string | Uint8Array>): Promise<void> {
  // Copied, because a stream takes the next piece before the last one is on the disk.
  const copied = async function* (): AsyncGenerator<Buffer> {
    for await (const part of parts) yield Buffer.from(part);
  };
  await pipeline(copied, createWriteStream(`${path}.part`));
  await rename(`${path}.part`, path);
}
