/** A ticket file that can be read more than once: whoever reads it opens it again for each pass. */
export interface TicketSource {
  /** For messages, and for its ending. */
  readonly name: string;
  /** Its size in bytes: for how much is worth remembering of it. */
  readonly size: number;
  /** Its bytes from the start. A piece is good until the next one is asked for. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** A file whose bytes are in memory already. */
export function sourceOf(name: string, bytes: Uint8Array): TicketSource {
  return { name, size: bytes.length, open: () => one(bytes) };
}

/** One value as a stream of its own. */
export async function* one<Value>(value: Value): AsyncGenerator<Value> {
  yield value;
}

/** A text that does not keep alive the far larger one it was cut out of: for what is kept beyond its row. */
export function ownCopy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
