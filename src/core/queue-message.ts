import * as z from 'zod';

/** The version of the queue messages that this code writes. */
export const MESSAGE_VERSION = 1;

const id = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/);
const turn = z.number().int().positive();
const note = z.object({ v: z.literal(1), noteOf: id, note: id });
const message = z.union([
  z.object({ v: z.literal(1), jobId: id, turn }),
  z.object({ v: z.literal(1), batchId: id, turn }),
  note,
]);

const versioned = z.object({ v: z.number().int() });

/** What travels through the step queue: ids and a turn or key, never content. Under 1 KB as JSON. */
export type QueueMessage = Readonly<z.infer<typeof message>>;
/** Others are to be told: the job or batch, and the key of the notice. */
export type NoteMessage = Readonly<z.infer<typeof note>>;

export type ReadMessage =
  | { readonly type: 'message'; readonly message: QueueMessage }
  /** Written by newer code: left for a worker that can read it. */
  | { readonly type: 'newer'; readonly version: number }
  | { readonly type: 'unreadable'; readonly reason: string };

/** Reads the body of a queue message. Never throws. */
export function readQueueMessage(body: string): ReadMessage {
  let data: unknown;
  try {
    data = JSON.parse(body);
  } catch {
    return { type: 'unreadable', reason: 'the body is not JSON' };
  }
  const parsed = message.safeParse(data);
  if (parsed.success) return { type: 'message', message: parsed.data };
  const version = versioned.safeParse(data);
  if (version.success && version.data.v > MESSAGE_VERSION) return { type: 'newer', version: version.data.v };
  return {
    type: 'unreadable',
    reason: 'the body is no message of ours: {v, jobId, turn}, {v, batchId, turn} or {v, noteOf, note}',
  };
}
