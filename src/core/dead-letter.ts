import * as z from 'zod';
import { lift } from './head-format.ts';

/** A message that could not be handled, kept for 14 days so that people can list it and send it again. */
export interface DeadLetter {
  readonly id: string;
  /** Whose job or batch it names; empty when nobody can say. */
  readonly tenant: string;
  readonly body: string;
  readonly reason: string;
  readonly atMs: number;
  /** When it was sent again; 0 for never. */
  readonly redrivenAtMs: number;
}

/** How long a dead letter is kept. */
export const LETTER_MS = 14 * 86_400_000;

/** What the listing index's partition of a tenant's dead letters begins with. */
export const LETTERS_OF = 'D#';

/** The partitions of the open index for letters that nobody has sent again, whoever owns them, and for the others. */
export const LETTERS_OPEN = 'D#open';
export const LETTERS_SENT = 'D#sent';

const LETTER_VERSION = 2;

const letterV2 = z.object({
  v: z.literal(2),
  id: z.string(),
  tenant: z.string(),
  body: z.string(),
  reason: z.string(),
  atMs: z.number().int().nonnegative(),
  redrivenAtMs: z.number().int().nonnegative(),
});

/** Each lift raises a dead letter by one version. Never edit a published lift; add the next one. */
const lifts: Readonly<Record<number, (record: unknown) => unknown>> = {
  // Letters belonged to nobody, and could not be sent again.
  1: (record) => ({ ...z.looseObject({}).parse(record), v: 2, tenant: '', redrivenAtMs: 0 }),
};

export function toLetterRecord(letter: DeadLetter): z.input<typeof letterV2> {
  const { id, tenant, body, reason, atMs, redrivenAtMs } = letter;
  return { v: LETTER_VERSION, id, tenant, body, reason, atMs, redrivenAtMs };
}

export function fromLetterRecord(stored: unknown): DeadLetter {
  const { v: _, ...letter } = letterV2.parse(lift(stored, 'a dead letter', LETTER_VERSION, lifts));
  return letter;
}
