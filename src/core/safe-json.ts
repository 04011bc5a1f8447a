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
    .replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

const MAX_DEPTH = 100;
/** Values looked at in one result: a result of more is cut in any case. */
const MAX_VALUES = 200_000;

interface Visit {
  readonly parents: readonly object[];
  readonly budget: { values: number };
}

/**
 * A value as safe JSON data. One rule each: NaN and the infinities become null, -0 becomes 0; `undefined`, functions and
 * symbols are left out of objects and are null in lists; a BigInt becomes its digits, a Date its ISO text (an invalid
 * one null), a Map an object, a Set a list, an Error `{error: "Name: message"}`, bytes `"[binary, N bytes]"`; a cycle
 * `"[circular]"`, what lies deeper than 100 levels `"[too deep]"`, a getter or `toJSON` that throws `"[unreadable: Name]"`.
 */
function safe(value: unknown, visit: Visit): unknown {
  visit.budget.values -= 1;
  switch (typeof value) {
    case 'string':
      return cleanText(value);
    case 'number':
      return Number.isFinite(value) ? value + 0 : null;
    case 'bigint':
      return value.toString();
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : safeObject(value, visit);
    default:
      return undefined;
  }
}

function safeObject(value: object, visit: Visit): unknown {
  if (visit.parents.includes(value)) return '[circular]';
  if (visit.parents.length >= MAX_DEPTH || visit.budget.values < 0) return '[too deep]';
  if (value instanceof Error) return { error: errorName(value) };
  if (value instanceof Date) return Number.isFinite(value.getTime()) ? value.toISOString() : null;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `[binary, ${value.byteLength} bytes]`;
  const inside: Visit = { ...visit, parents: [...visit.parents, value] };
  if (value instanceof Set) return safeList([...value], inside);
  if (Array.isArray(value)) return safeList(value, inside);
  if (value instanceof Map)
    return safeEntries(
      [...value].map(([key, entry]) => [String(key), () => entry]),
      inside,
    );
  return safeInstance(value, inside);
}

function safeInstance(value: object, visit: Visit): unknown {
  try {
    if ('toJSON' in value && typeof value.toJSON === 'function') return safe(value.toJSON(), visit);
  } catch (error) {
    return unreadable(error);
  }
  const names = Object.keys(value);
  return safeEntries(
    names.map((name) => [name, () => (value as Record<string, unknown>)[name]]),
    visit,
  );
}

function safeList(list: readonly unknown[], visit: Visit): unknown {
  return list.map((entry) => safe(entry, visit) ?? null);
}

function safeEntries(entries: readonly (readonly [string, () => unknown])[], visit: Visit): unknown {
  const result: [string, unknown][] = [];
  for (const [name, read] of entries) {
    try {
      const value = safe(read(), visit);
      if (value !== undefined) result.push([cleanText(name), value]);
    } catch (error) {
      result.push([cleanText(name), unreadable(error)]);
    }
  }
  return Object.fromEntries(result);
}

const unreadable = (error: unknown): string =>
  `[unreadable: ${error instanceof Error ? error.name : 'unknown'}]`;

function errorName(error: Error): string {
  return cleanText(`${error.name}: ${error.message === '' ? 'no message' : error.message}`);
}

export interface ResultText {
  readonly text: string;
  /** UTF-8 bytes left out; 0 when nothing was. */
  readonly cutBytes: number;
}

/** What a tool returned, as the text that reaches the model: at most `maxBytes` UTF-8 bytes, never empty. */
export function toResultText(value: unknown, maxBytes: number): ResultText {
  const text = typeof value === 'string' ? cleanText(value) : jsonText(value);
  return cutText(text.trim() === '' ? '(empty result)' : text, maxBytes);
}

function jsonText(value: unknown): string {
  return JSON.stringify(safe(value, { parents: [], budget: { values: MAX_VALUES } }) ?? null);
}

/** Room for the note that says how much was cut. */
const NOTE_BYTES = 64;

/** Cuts a text by bytes, between code points, with a note that says how much is missing. */
export function cutText(text: string, maxBytes: number): ResultText {
  const total = utf8Bytes(text);
  if (total <= maxBytes) return { text, cutBytes: 0 };
  const kept = prefixOf(text, Math.max(0, maxBytes - NOTE_BYTES));
  const cutBytes = total - utf8Bytes(kept);
  return { text: `${kept}\n[cut: ${cutBytes} of ${total} bytes left out]`, cutBytes };
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

/** JSON text with sorted keys: equal for equal data, whatever the order of its keys. For hashes. */
export function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((entry) => stableJson(entry ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, entry]) => `${JSON.stringify(name)}:${stableJson(entry)}`).join(',')}}`;
}
