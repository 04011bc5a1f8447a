import type { MessageItem } from '../core/message-item.ts';
import { utf8Bytes } from '../core/safe-json.ts';
import type { Item, Key } from '../ports.ts';

/** DynamoDB takes 400 KB an item, names and all, in UTF-8 bytes; what is longer than this is split. */
const MAX_PART_BYTES = 300_000;
/** Characters of one part: three bytes a UTF-16 unit at most. */
const PART_LENGTH = MAX_PART_BYTES / 3;

export function itemKey(jobId: string, at: number): Key {
  return { pk: `JOB#${jobId}`, sk: `MSG#${String(at).padStart(6, '0')}` };
}

const long = ['user', 'reply', 'original', 'hidden', 'plain'] as const;

/**
 * An item as it is stored: one record, or a main record that names how many parts hold its long texts. Parts are put
 * first, under a key that only this attempt uses, and the main record last: it alone makes them true.
 */
export function splitItem(
  jobId: string,
  at: number,
  item: MessageItem,
): { main: Item & Key; parts: readonly (Item & Key)[] } {
  const key = itemKey(jobId, at);
  const length = long.reduce((sum, name) => sum + (item[name]?.length ?? 0), 0);
  // JSON text of a character is at most six bytes: most items are known to fit without a look at their bytes.
  if (length * 6 + 100 <= MAX_PART_BYTES) return { main: { ...item, ...key }, parts: [] };
  const texts = Object.fromEntries(
    long.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])),
  );
  const json = JSON.stringify(texts);
  if (utf8Bytes(json) <= MAX_PART_BYTES) return { main: { ...item, ...key }, parts: [] };
  const cuts = cut(json);
  const parts = cuts.map((text, n) => ({ pk: key.pk, sk: partKey(key.sk, item, n), text }));
  const { user: _, reply: __, original: ___, hidden: ____, plain: _____, ...short } = item;
  return { main: { ...short, ...key, parts: cuts.length }, parts };
}

function partKey(sk: string, item: { readonly born: number; readonly nonce: string }, n: number): string {
  return `${sk}.${item.born}.${item.nonce || 'input'}.${String(n).padStart(3, '0')}`;
}

/** Cuts between code points, never inside a surrogate pair. */
function cut(text: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + PART_LENGTH);
    const unit = text.charCodeAt(to - 1);
    if (to < text.length && unit >= 0xd800 && unit <= 0xdbff) to -= 1;
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}

/** Puts records and their parts together again, in order; one whose parts are not all there ends the list. */
export function joinParts(stored: readonly Item[]): readonly Item[] {
  const texts = new Map(stored.map((item) => [String(item['sk']), item['text']]));
  const whole: Item[] = [];
  for (const item of stored) {
    const sk = String(item['sk']);
    if (sk.includes('.')) continue;
    if (item['parts'] === undefined) {
      whole.push(item);
      continue;
    }
    const own = { born: Number(item['born']), nonce: String(item['nonce']) };
    const cuts = Array.from({ length: Number(item['parts']) }, (_, n) => texts.get(partKey(sk, own, n)));
    if (cuts.some((part) => typeof part !== 'string')) break;
    whole.push({ ...item, ...(JSON.parse(cuts.join('')) as Item) });
  }
  return whole;
}
