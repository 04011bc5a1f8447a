export type ParsedJson =
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'refused'; readonly why: string };

/** Nested deeper than this, a body is refused: what walks it later uses the stack. */
const MAX_DEPTH = 100;

/**
 * Reads the JSON text of a request. Numbers that JavaScript cannot hold keep their digits as text, unpaired surrogates
 * become U+FFFD, and the name `__proto__` is refused because not everything that copies objects would keep it.
 */
export function parseJson(text: string): ParsedJson {
  const scanned = scan(text);
  if (scanned.depth > MAX_DEPTH) {
    return { type: 'refused', why: `is nested deeper than ${MAX_DEPTH} levels` };
  }
  let value: unknown;
  try {
    value = JSON.parse(scanned.text);
  } catch {
    return { type: 'refused', why: 'is not JSON' };
  }
  // Only an escape can put a surrogate or a hidden name into text that was decoded from UTF-8.
  if (!/\\u|__proto__/.test(text)) return { type: 'json', value };
  const tidied = tidy(value);
  return tidied === refused
    ? { type: 'refused', why: 'names a property __proto__' }
    : { type: 'json', value: tidied };
}

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function isExact(token: string): boolean {
  const value = Number(token);
  return /[.eE]/.test(token) ? Number.isFinite(value) : Number.isSafeInteger(value);
}

/** The depth of nesting, and the text with every number in quotes that cannot be held. Never slow, never recursive. */
function scan(text: string): { readonly text: string; readonly depth: number } {
  const pieces: string[] = [];
  let from = 0;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') {
      at = endOfString(text, at);
    } else if (character === '[' || character === '{') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === ']' || character === '}') {
      depth -= 1;
    } else if (character === '-' || (character >= '0' && character <= '9')) {
      const end = endOfNumber(text, at);
      const token = text.slice(at, end);
      if (number.test(token) && !isExact(token)) {
        pieces.push(text.slice(from, at), `"${token}"`);
        from = end;
      }
      at = end - 1;
    }
  }
  pieces.push(text.slice(from));
  return { text: pieces.join(''), depth: deepest };
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && '0123456789+-.eE'.includes(text.charAt(at))) at += 1;
  return at;
}

const refused = Symbol('refused');

function tidy(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list = value.map(tidy);
    return list.includes(refused) ? refused : list;
  }
  const entries = Object.entries(value).map(([name, inner]) => [name.toWellFormed(), tidy(inner)] as const);
  if (entries.some(([name, inner]) => name === '__proto__' || inner === refused)) return refused;
  return Object.fromEntries(entries);
}
