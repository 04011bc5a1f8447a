/** A field of the outermost object of a JSON text: `start` and `end` enclose its value. */
export interface RawField {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The place of the first quote that ends the string beginning at `from`. */
function stringEnd(raw: string, from: number): number {
  let at = raw.indexOf('"', from + 1);
  while (at !== -1 && escaped(raw, at)) at = raw.indexOf('"', at + 1);
  return at === -1 ? raw.length : at;
}

function escaped(raw: string, at: number): boolean {
  let slashes = 0;
  while (raw[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

/** Where the parts of the object or list that begins at `open` end: places of its commas, then of its closing bracket. */
function partEnds(raw: string, open: number): readonly number[] {
  const ends: number[] = [];
  let depth = 0;
  for (let at = open; at < raw.length; at += 1) {
    const char = raw[at];
    if (char === '"') at = stringEnd(raw, at);
    else if (char === '{' || char === '[') depth += 1;
    else if (char === ',' && depth === 1) ends.push(at);
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return [...ends, at];
    }
  }
  return ends;
}

function trimmedEnd(raw: string, start: number, end: number): number {
  let at = end;
  while (at > start && /\s/.test(raw.charAt(at - 1))) at -= 1;
  return at;
}

/** The fields of a JSON object in the order they were written. The text must have been parsed before. */
export function rawFields(raw: string): readonly RawField[] {
  const open = raw.indexOf('{');
  let from = open + 1;
  const fields: RawField[] = [];
  for (const end of partEnds(raw, open)) {
    const quote = raw.indexOf('"', from);
    if (quote === -1 || quote >= end) break;
    const close = stringEnd(raw, quote);
    const start = raw.indexOf(':', close) + 1;
    const name: unknown = JSON.parse(raw.slice(quote, close + 1));
    fields.push({ name: String(name), start, end: trimmedEnd(raw, start, end) });
    from = end + 1;
  }
  return fields;
}

/**
 * The elements of the JSON list between `start` and `end`, each with all that was written since the element before it.
 * Joined they are the raw text of the list up to the end of its last element.
 */
export function rawElements(raw: string, field: RawField): readonly string[] {
  const open = raw.indexOf('[', field.start);
  let from = field.start;
  const elements: string[] = [];
  for (const part of partEnds(raw, open)) {
    const end = trimmedEnd(raw, from, part);
    if (end > Math.max(from, open + 1)) elements.push(raw.slice(from, end));
    from = end;
  }
  return elements;
}

/** The place of the first half of a surrogate pair that stands alone, written as an escape or not; -1 when none does. */
export function loneSurrogate(raw: string): number {
  if (!raw.isWellFormed()) {
    return raw.search(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
  }
  if (!/\\u[dD]/.test(raw)) return -1;
  let high = -1;
  for (const found of raw.matchAll(/\\(?:u([0-9a-fA-F]{4})|.)/g)) {
    const unit = Number.parseInt(found[1] ?? '0', 16);
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (high !== -1 && !(isLow && found.index === high + 6)) return high;
    if (high === -1 && isLow) return found.index;
    high = unit >= 0xd800 && unit <= 0xdbff ? found.index : -1;
  }
  return high;
}
