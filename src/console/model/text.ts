/** One line of at most so many characters. */
export function oneLine(text: string, most: number): string {
  const flat = text
    .slice(0, most * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return flat.length <= most ? flat : `${start(flat, most - 1)}…`;
}

/** The first characters, no pair of them halved. */
export function start(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** Any value as text: text is itself, text blocks of a tool's result are joined, all else is JSON with its lines. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length > 0 && value.every(isTextBlock)) {
    return value.map(({ text }) => text).join('\n');
  }
  return JSON.stringify(value, null, 2) ?? '';
}

function isTextBlock(value: unknown): value is { readonly text: string } {
  return isObject(value) && value['type'] === 'text' && typeof value['text'] === 'string';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name as people write it: `awaiting_approval` is `awaiting approval`. */
export const words = (name: string): string => name.replaceAll('_', ' ');

/** What an input is about, in a few words: its subject where it says one, else how it begins. */
export function aboutInput(input: string): string {
  const [head = ''] = input.split('\nbody:\n', 1);
  const subject = /^subject: (.+)$/m.exec(head)?.[1] ?? subjectOfJson(input);
  return oneLine(subject ?? withoutFrame(input), 120);
}

/** The shipped agents put a sentence and a mark around a ticket, which says nothing about it. */
const withoutFrame = (input: string): string => {
  const body = /\nbody:\n([\s\S]*)/.exec(input)?.[1];
  return body === undefined ? input : body.replace(/<\/ticket>\s*$/, '');
};

function subjectOfJson(input: string): string | undefined {
  if (!input.startsWith('{') || input.length > 100_000) return undefined;
  try {
    const value: unknown = JSON.parse(input);
    const subject = isObject(value) ? (value['subject'] ?? value['title']) : undefined;
    return typeof subject === 'string' && subject !== '' ? subject : undefined;
  } catch {
    return undefined;
  }
}

/** The ticket that a job is about, as its row or its metadata names it. */
export function ticketOf(metadata: unknown, rowId?: string | null): string | undefined {
  const named = isObject(metadata) ? metadata['ticket'] : undefined;
  if (typeof named === 'number') return String(named);
  if (typeof named === 'string' && named !== '') return oneLine(named, 60);
  return rowId === null || rowId === undefined ? undefined : oneLine(rowId, 60);
}
