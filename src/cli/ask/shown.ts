import type { Job } from '../../client.ts';
import { isObject } from '../../core/content.ts';
import { spelled } from '../../core/printed.ts';
import { oneLine } from '../../tickets/padded.ts';
import { usd } from '../../tickets/summary.ts';

/** Text from elsewhere in one line: no control code gets through, and marks that turn the text are spelled out. */
export const visible = (text: string): string => oneLine(spelled(text)).trim();

/** Any value in one line: text as it is, everything else as JSON. */
export const valueText = (value: unknown): string =>
  visible(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
];

/** A span in one unit, for ages that stand under each other: `12 s`, `5 min`, `3 h`, `2 d`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [name, size] = units.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${name}`;
}

/** The same with what is left in the next smaller unit, for the time that somebody has: `2 d 23 h`. */
export function longSpan(ms: number): string {
  const [, size] = units.find(([, length]) => ms >= length * 1_000) ?? ['s', 1];
  const rest = size === 1 ? 0 : ms % (size * 1_000);
  const smaller = units[units.findIndex(([, length]) => length === size) + 1]?.[1] ?? 1;
  return rest < smaller * 1_000 ? span(ms) : `${span(ms)} ${span(rest)}`;
}

/** A ceiling or a pool: no more digits than it has. */
export const roundUsd = (dollars: number): string =>
  `$${String(dollars).includes('e') ? dollars.toFixed(6) : dollars.toFixed(Math.max(2, (String(dollars).split('.')[1] ?? '').length))}`;

/** How a job stands in one or two words: an ended one by the reason. */
export function statusText({ status, stop }: Pick<Job, 'status' | 'stop'>): string {
  const words = status.replaceAll('_', ' ');
  const own = stop === null || stop.reason === 'completed' || stop.reason === 'cancelled';
  return visible(own ? words : `${words}: ${stop.reason}`);
}

const colors = { good: 32, wait: 33, bad: 31, strong: 1, faint: 2 } as const;
export type Tone = keyof typeof colors;

/** Coloured where the terminal takes colours. */
export function painted(text: string, tone: Tone | undefined, color: boolean): string {
  return color && tone !== undefined ? `\u001b[${colors[tone]}m${text}\u001b[0m` : text;
}

export function toneOf(status: string): Tone | undefined {
  switch (status) {
    case 'succeeded':
    case 'done':
      return 'good';
    case 'awaiting_approval':
    case 'paused':
      return 'wait';
    case 'stopped':
    case 'failed':
    case 'cancelled':
      return 'bad';
    default:
      return undefined;
  }
}

/** A job in one line: how it stands, how far it is, what it has cost. */
export function jobLine(job: Job, color: boolean): string {
  const status = painted(statusText(job), toneOf(job.status), color);
  const money = `${usd(job.cost.spentUsd)} of ${usd(job.cost.ceilingUsd)}`;
  return `${visible(job.id)}  ${visible(job.agent)}  ${status}  step ${job.steps} of at most ${job.limits.maxSteps}, ${money}\n`;
}

/** The ticket that a job is about, as its metadata names it; else the row that it was made from. */
export function ticketOf({ rowId, metadata }: Pick<Job, 'rowId' | 'metadata'>): string {
  const ticket = isObject(metadata) ? metadata['ticket'] : undefined;
  const named = typeof ticket === 'string' || typeof ticket === 'number' ? String(ticket) : '';
  return visible(named === '' ? (rowId ?? '') : named);
}
