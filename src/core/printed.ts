import { cleanText } from './safe-json.ts';

/** Marks that turn the direction of what follows: a person would read another text than the one that is there. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Those of them that reach beyond a word; a page sets each text apart, and right-to-left text needs the others. */
const overriding = /[\u202a-\u202e\u2066-\u2069]/g;

const hexOf = (mark: string): string => mark.charCodeAt(0).toString(16).padStart(4, '0');
const nameOf = (mark: string): string => `[U+${hexOf(mark).toUpperCase()}]`;

/** Text in which marks that turn its direction are spelled out, as `[U+202E]`. */
export const spelled = (text: string): string => text.replaceAll(turning, nameOf);

/** Text as a reader may see it on a page: without control characters, because a refund of 12.00 must not be readable as 00.21. */
export const shown = (text: string): string => cleanText(text).replaceAll(overriding, nameOf);

/** What JSON may hold as it is, and a terminal obeys or a person cannot see: DEL, C1, line separators, turning marks. */
const obeyed = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A value as JSON that a terminal may show: escapes stand for the same value, so that programs read no other one. */
export const printedJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(obeyed, (mark) => `\\u${hexOf(mark)}`);
