import { isObject } from '../core/content.ts';
import { shown } from '../core/printed.ts';
import { oneLine } from '../tickets/padded.ts';
import { wrapped } from './ask/wrapped.ts';
import type { Run, WaitingCall, WaitingTicket } from './run.ts';
import type { Terminal } from './terminal.ts';
import { FEW_LINES, textLines } from './ticket-text.ts';

export type ApprovalsMode = 'ask' | 'deny' | 'leave';

/** What it takes to put calls before a person. */
export interface Deciding {
  readonly run: Pick<Run, 'ticketOf' | 'decide'>;
  readonly now: () => number;
  readonly terminal: Terminal;
  readonly mode: Exclude<ApprovalsMode, 'leave'>;
  /** Once aborted, nothing more is asked. */
  readonly signal: AbortSignal;
}

/** Puts every call before a person, or denies it. */
export async function decideApprovals(deciding: Deciding, calls: readonly WaitingCall[]): Promise<void> {
  const { run, mode, signal } = deciding;
  for (const call of calls) {
    if (signal.aborted) return;
    const answer = mode === 'deny' ? 'n' : await question(deciding, call);
    if (answer !== 'later') await run.decide(call, answer === 'y' ? 'approve' : 'deny');
  }
}

type Answer = 'y' | 'n' | 'later';

const answers: Readonly<Record<string, Answer | 'whole' | 'help'>> = {
  ...{ y: 'y', yes: 'y', n: 'n', no: 'n', '': 'later' },
  ...{ t: 'whole', ticket: 'whole', '?': 'help', h: 'help', help: 'help' },
};

const help = [
  '  y      approve: the call is run, once, with exactly these arguments',
  '  n      deny: it is not run; the model is told, and goes on without it',
  '  Enter  decide later: the call goes on waiting; the same command asks again',
  '  t      show the whole ticket',
  '  Ctrl-C stop asking; what waits goes on waiting',
  '',
].join('\n');

/** Asks until the answer is one: what was mistyped is neither a decision nor its delay. No more input is `later`. */
async function question(
  { run, now, terminal: { ask, width }, signal }: Deciding,
  call: WaitingCall,
): Promise<Answer> {
  if (ask === undefined) return 'later';
  const ticket = await run.ticketOf(call);
  let before = approvalText(ticket, call, { nowMs: now(), width });
  while (!signal.aborted) {
    const given = (await ask(`${before}Approve? [y = yes, n = no, Enter = later, ? = more] `))
      .trim()
      .toLowerCase();
    const answer = Object.hasOwn(answers, given) ? answers[given] : undefined;
    switch (answer) {
      case 'help':
        before = help;
        break;
      case 'whole':
        before = ticketText(ticket, width, Number.POSITIVE_INFINITY);
        break;
      case undefined:
        before = `"${oneLine(given.slice(0, 40))}" is none of these: ? explains them. `;
        break;
      default:
        return answer;
    }
  }
  return 'later';
}

/** What a person has to know to decide: which ticket, what is to be done with which arguments, and for how long it waits. */
export function approvalText(
  ticket: WaitingTicket,
  { tool, input, expiresAtMs }: Pick<WaitingCall, 'tool' | 'input' | 'expiresAtMs'>,
  { nowMs, width }: { readonly nowMs: number; readonly width: number },
): string {
  const given = isObject(input) ? Object.entries(input) : [['input', input] as const];
  const line = (text: string): string => oneLine(shown(text));
  const subject = ticket.subject === '' ? '' : `: ${line(ticket.subject)}`;
  return [
    `\nTicket ${line(ticket.id)}${subject}`,
    `${ticketText(ticket, width, FEW_LINES)}asks for ${line(tool)}`,
    ...given.map(([name, value]) => argumentText(line(name), value, width)),
    `${timeText(expiresAtMs - nowMs)} left to decide, until ${new Date(expiresAtMs).toISOString()}`,
    '',
  ].join('\n');
}

function ticketText({ text }: WaitingTicket, width: number, most: number): string {
  const room = { indent: '  | ', width, most, more: 't shows all' };
  return text.trim() === ''
    ? ''
    : textLines(text, room)
        .map((line) => `${line}\n`)
        .join('');
}

const FURTHER_IN = ' '.repeat(6);

/** A text of several lines, or one that the terminal would break, stands further in: no line looks like another argument. */
function argumentText(name: string, value: unknown, width: number): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const lines = `${name}: ${shown(text)}`.split(/\r\n|[\n\r\u2028\u2029]/);
  return `  ${lines.flatMap((line) => wrapped(line, width - FURTHER_IN.length)).join(`\n${FURTHER_IN}`)}`;
}

const MINUTE_MS = 60_000;

function timeText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS));
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
