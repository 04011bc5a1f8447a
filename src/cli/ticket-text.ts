import { subjectIn } from '../agents/triage.ts';
import { wrapped } from './ask/wrapped.ts';

/** What a ticket says to a person: the frame that the shipped agents put around it is left out. */
export interface TicketText {
  readonly subject: string;
  readonly text: string;
}

/** The ticket in the input of a job. */
export function ticketIn(input: string): TicketText {
  const at = input.indexOf(BODY);
  if (at < 0) return { subject: '', text: input };
  const body = input.slice(at + BODY.length).replace(/\s*<\/ticket>\s*$/, '');
  const earlier = input.slice(0, at).match(/^earlier message: .*$/gm) ?? [];
  return { subject: subjectIn(input), text: [body, ...earlier.reverse()].join('\n') };
}

const BODY = '\nbody:\n';

/** Lines of a ticket that are shown where nobody asked for more. */
export const FEW_LINES = 12;

/**
 * A text of several lines in the width of a terminal, each line behind `indent`, so that none looks like one of ours. No
 * control code gets through: it is spelled out, as are the marks that turn the direction of writing. Beyond `most` lines
 * stands how many more there are, and what shows them.
 */
export function textLines(text: string, { indent, width, most, more }: TextRoom): readonly string[] {
  const room = Math.max(LEAST_ROOM, width - indent.length);
  const lines = text
    .trim()
    .replaceAll('\t', '  ')
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .flatMap((line) => wrapped(spelledOut(line), room));
  const kept = lines.length <= most ? lines : lines.slice(0, most);
  const left = lines.length - kept.length;
  const note = left === 0 ? [] : [`… ${left} more ${left === 1 ? 'line' : 'lines'}: ${more}`];
  return [...kept, ...note].map((line) => `${indent}${line}`);
}

export interface TextRoom {
  readonly indent: string;
  readonly width: number;
  readonly most: number;
  /** What shows the lines that are left out. */
  readonly more: string;
}

const LEAST_ROOM = 20;

/** Control codes, and marks that turn the text or cannot be seen. */
const unseen = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

const spelledOut = (line: string): string =>
  line.replaceAll(unseen, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`);
