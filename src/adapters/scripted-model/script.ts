import * as z from 'zod';
import { TerminalError } from '../../core/errors.ts';

/** The longest wait before an answer that a script may ask for, in milliseconds. */
const MAX_DELAY_MS = 3_600_000;

const turn = z.strictObject({
  http: z.number().int().min(200).max(599),
  headers: z.record(z.string(), z.string()).optional(),
  /** An object is sent as JSON; a string is sent as it is, so that a page of HTML or cut JSON can be answered. */
  body: z.union([z.string(), z.record(z.string(), z.unknown())]),
  delayMs: z.number().int().min(0).max(MAX_DELAY_MS).optional(),
});

const script = z.strictObject({
  name: z.string().min(1),
  note: z.string().optional(),
  turns: z.array(turn).min(1),
  repeat_last: z.boolean().optional(),
});

/** Answers given in order, one for each request of a conversation. */
export type ModelScript = z.infer<typeof script>;
export type ScriptTurn = z.infer<typeof turn>;

/** Reads a script file. Throws `TerminalError` `invalid_script` that names what is wrong. */
export function readScript(json: string): ModelScript {
  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch (cause) {
    throw new TerminalError('invalid_script', 'the model script is not JSON', { cause });
  }
  const parsed = script.safeParse(data);
  if (!parsed.success) {
    throw new TerminalError(
      'invalid_script',
      `the model script is not valid: ${z.prettifyError(parsed.error)}`,
    );
  }
  return parsed.data;
}

/** The turn that answers request number `at` of a conversation, counted from 0; `undefined` past the end. */
export function turnAt(model: ModelScript, at: number): ScriptTurn | undefined {
  return model.turns[at] ?? (model.repeat_last === true ? model.turns.at(-1) : undefined);
}
