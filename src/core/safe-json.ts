export { stableJson } from './stable-json.ts';

/** UTF-8 bytes of a text: what storage and requests count. A lone surrogate counts as the three bytes of U+FFFD. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      bytes += 1;
    } else if (unit >= 0xd800 && unit <= 0xdbff && isLow(text.charCodeAt(at + 1))) {
      bytes += 2;
      at += 1;
    } else {
      bytes += 2;
    }
  }
  return bytes;
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * Text as it may be stored and sent: a line ends with \n, tab is kept, every other control character (C0, DEL, C1) is
 * left out, and an unpaired surrogate becomes U+FFFD.
 */
export function cleanText(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\n\t\u0020-\u007e\u00a0-\uffff]/g, '')
    .toWellFormed();
}

const MAX_DEPTH = 100;
/** At two bytes each these fill the largest result that a tool may have. */
const MAX_VALUES = 500_000;
/** Far over the largest result, so that what a cut says of the whole size is true of all but monsters. */
const MAX_CHARACTERS = 16_000_000;
const TOO_LONG = '[too long]';

interface Visit {
  readonly parents: readonly object[];
  /** What may still be looked at, of the whole result. */
  readonly left: { values: number; characters: number };
}

/**
 * A value as safe JSON data; it never throws, and `undefined` means: left out. One rule each:
 *
 * | value | becomes |
 * | --- | --- |
 * | NaN, Infinity, -Infinity | null |
 * | -0 | 0 |
 * | undefined, function, symbol | left out of an object; null in a list and by itself |
 * | BigInt | its digits, as a string |
 * | string, name of a property | itself by the rule of `cleanText` |
 * | Date | its ISO text; an invalid one null |
 * | Map | an object, its keys by `String` |
 * | Set | a list |
 * | Error | `{"error": "Name: message"}` |
 * | Buffer, typed array, DataView, ArrayBuffer | `"[binary, N bytes]"` |
 * | object with `toJSON` | what that returns, by these rules |
 * | any other object | its own enumerable properties |
 * | an object inside itself | `"[circular]"` |
 * | what lies deeper than 100 levels | `"[too deep]"` |
 * | a getter, `toJSON`, key or proxy that throws | `"[unreadable: Name]"` |
 * | after 500,000 values or 16 million characters | `"[too long]"` ends the list, object or string |
 */
function safe(value: unknown, visit: Visit): unknown {
  visit.left.values -= 1;
  switch (typeof value) {
    case 'string':
      return safeText(value, visit);
    case 'number':
      return Number.isFinite(value) ? value + 0 : null;
    case 'bigint':
      return value.toString();
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : readable(() => safeObject(value, visit));
    default:
      return undefined;
  }
}

function readable(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return cleanText(`[unreadable: ${nameAndMessage(error).name}]`);
  }
}

function safeText(text: string, { left }: Visit): string {
  const whole = text.length <= left.characters;
  const kept = whole ? text : text.slice(0, Math.max(0, left.characters)) + TOO_LONG;
  left.characters -= text.length;
  return cleanText(kept);
}

function safeObject(value: object, visit: Visit): unknown {
  if (visit.parents.includes(value)) return '[circular]';
  if (visit.parents.length >= MAX_DEPTH) return '[too deep]';
  if (value instanceof Error) return { error: safeText(errorLine(value), visit) };
  if (value instanceof Date) return Number.isFinite(value.getTime()) ? value.toISOString() : null;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `[binary, ${value.byteLength} bytes]`;
  const inside: Visit = { ...visit, parents: [...visit.parents, value] };
  if (value instanceof Set || Array.isArray(value)) return safeList(value, inside);
  if (value instanceof Map) return safeEntries(value.entries(), inside);
  if ('toJSON' in value && typeof value.toJSON === 'function') return safe(value.toJSON(), inside);
  return safeEntries(propertiesOf(value), inside);
}

function safeList(list: Iterable<unknown>, visit: Visit): unknown {
  const result: unknown[] = [];
  for (const entry of list) {
    if (isSpent(visit)) return [...result, TOO_LONG];
    result.push(safe(entry, visit) ?? null);
  }
  return result;
}

function safeEntries(entries: Iterable<readonly [unknown, unknown]>, visit: Visit): unknown {
  const result: [string, unknown][] = [];
  for (const [key, entry] of entries) {
    if (isSpent(visit)) {
      result.push([TOO_LONG, true]);
      break;
    }
    const value = safe(entry, visit);
    if (value !== undefined) result.push([safeText(String(key), visit), value]);
  }
  // Unlike an assignment this makes `__proto__` a property like any other.
  return Object.fromEntries(result);
}

function* propertiesOf(value: object): Generator<readonly [string, unknown]> {
  for (const name of Object.keys(value)) yield [name, readable(() => Reflect.get(value, name))];
}

const isSpent = ({ left }: Visit): boolean => left.values <= 0 || left.characters <= 0;

function nameAndMessage(error: unknown): { name: string; message: string } {
  const textAt = (key: 'name' | 'message'): string => {
    try {
      const text: unknown = Reflect.get(Object(error), key);
      return typeof text === 'string' ? text.trim() : '';
    } catch {
      return '';
    }
  };
  return { name: textAt('name') || 'Error', message: textAt('message') || 'no message' };
}

/** What was thrown as `Name: message`, whatever it is. Never empty, never throws; neither cleaned nor cut. */
export function errorLine(error: unknown): string {
  if (typeof error === 'string' && error.trim() !== '') return `Error: ${error}`;
  const { name, message } = nameAndMessage(error);
  return `${name}: ${message}`;
}

export interface ResultText {
  readonly text: string;
  /** UTF-8 bytes left out; 0 when nothing was. */
  readonly cutBytes: number;
}

/** What a tool returned, as the text that reaches the model: at most `maxBytes` UTF-8 bytes, never empty. Never throws. */
export function toResultText(value: unknown, maxBytes: number): ResultText {
  const data = safe(value, { parents: [], left: { values: MAX_VALUES, characters: MAX_CHARACTERS } }) ?? null;
  const text = typeof value === 'string' ? String(data) : JSON.stringify(data);
  return cutText(text.trim() === '' ? '(empty result)' : text, maxBytes);
}

/** Cuts a text by bytes, between code points, with a note that says how much is missing and counts towards `maxBytes`. */
export function cutText(text: string, maxBytes: number): ResultText {
  const total = utf8Bytes(text);
  if (total <= maxBytes) return { text, cutBytes: 0 };
  const note = (bytes: number): string => `\n[cut: ${bytes} of ${total} bytes left out]`;
  const kept = prefixOf(text, maxBytes - note(total).length);
  const cutBytes = total - utf8Bytes(kept);
  return { text: prefixOf(kept + note(cutBytes), maxBytes), cutBytes };
}

function prefixOf(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Bytes(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
