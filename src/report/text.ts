import { isObject } from '../core/content.ts';

/** At most so many characters, and a note of how many were cut. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = start(text, most);
  return `${kept}… (${(text.length - kept.length).toLocaleString('en')} more characters)`;
}

/** The same for a number of bytes, as they are written: escaped, in UTF-8. */
export function cutBytes(text: string, most: number): string {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    bytes += bytesOf(text.charCodeAt(at));
    if (bytes > most) return cut(text, at);
  }
  return text;
}

function bytesOf(unit: number): number {
  if (unit >= 0x80) return unit < 0x800 ? 2 : 3;
  return '&<>"\''.includes(String.fromCharCode(unit)) ? 6 : 1;
}

/** One line of at most so many characters. */
export function oneLine(text: string, most: number): string {
  const flat = start(text, most * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return flat.length <= most ? flat : `${start(flat, most - 1)}…`;
}

/** The first characters, no pair of them halved; a copy, because a part would keep the whole text in memory. */
function start(text: string, most: number): string {
  return text.length <= most ? text : structuredClone(text.slice(0, most).replace(/[\ud800-\udbff]$/, ''));
}

/** A name as people write it: `route_to` is `Route to`. */
export function titleOf(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-.\s]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Any value as text: text is itself, text blocks of a tool's result are joined, all else is JSON. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length > 0 && value.every(isTextBlock)) {
    return value.map(({ text }) => text).join('\n');
  }
  return JSON.stringify(value) ?? '';
}

function isTextBlock(value: unknown): value is { readonly text: string } {
  return isObject(value) && value['type'] === 'text' && typeof value['text'] === 'string';
}
