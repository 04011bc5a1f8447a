import { createHash } from 'node:crypto';
import { rawElements, rawFields } from './raw-json.ts';

/** What is remembered of a request to compare the next one with: hashes of its raw parts, never its text. */
export interface RawShape {
  /** Every field but `messages`, in order, with the hash of its raw value. */
  readonly fields: readonly { readonly name: string; readonly hash: string }[];
  /** The hash of each message's raw text, separators included. */
  readonly messages: readonly string[];
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** The shape of a request body, which must be a JSON object. */
export function shapeOf(raw: string): RawShape {
  const fields = rawFields(raw);
  const list = fields.find((field) => field.name === 'messages');
  return {
    fields: fields.map(({ name, start, end }) => ({
      name,
      hash: name === 'messages' ? '' : hashOf(raw.slice(start, end)),
    })),
    messages: list === undefined ? [] : rawElements(raw, list).map(hashOf),
  };
}

/**
 * Where a request does not extend the one before it byte for byte; `undefined` when it does. The value of `max_tokens`
 * is no part of the prompt and may change.
 */
export function prefixDifference(before: RawShape, after: RawShape): string | undefined {
  const [namesBefore, namesAfter] = [before, after].map(({ fields }) => fields.map((field) => field.name));
  if (String(namesBefore) !== String(namesAfter)) {
    return `fields: ${String(namesAfter)} after ${String(namesBefore)}`;
  }
  const changed = before.fields.find(
    ({ name, hash }, at) => name !== 'max_tokens' && after.fields[at]?.hash !== hash,
  );
  if (changed !== undefined) return `${changed.name}: not the same bytes as before`;
  const at = before.messages.findIndex((hash, place) => after.messages[place] !== hash);
  if (at === -1) return undefined;
  return `messages.${at}: ${after.messages[at] === undefined ? 'no longer there' : 'not the same bytes as before'}`;
}
