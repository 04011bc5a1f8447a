import { approvalsOf, judge } from '../app/approve.ts';
import type { World } from '../app/world.ts';
import { isObject } from '../core/content.ts';
import type { Job } from '../core/job.ts';
import { shown } from '../report/text.ts';
import { oneLine } from '../tickets/padded.ts';
import type { Terminal } from './terminal.ts';

export type ApprovalsMode = 'ask' | 'deny' | 'leave';

/** What it takes to put calls before a person. */
export interface Deciding {
  readonly world: World;
  readonly terminal: Terminal;
  readonly mode: Exclude<ApprovalsMode, 'leave'>;
  /** The ticket that a job is about. */
  readonly ticketOf: (jobId: string) => { readonly id: string; readonly subject: string };
  /** Once aborted, nothing more is asked. */
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly tool: string;
  readonly input: unknown;
  readonly expiresAtMs: number;
}

/** Puts every waiting call before a person, or denies it. Returns how many were decided. */
export async function decideApprovals(deciding: Deciding, jobs: readonly Job[]): Promise<number> {
  const { world, mode, signal } = deciding;
  let decided = 0;
  for (const job of jobs) {
    for (const approval of await approvalsOf(world, job)) {
      if (approval.status !== 'pending' || signal.aborted) continue;
      const answer = mode === 'deny' ? 'n' : await question(deciding, job, approval);
      if (answer === 'later') continue;
      await judge(world, {
        tenant: job.tenant,
        jobId: job.id,
        callId: approval.callId,
        decision: answer === 'y' ? 'approve' : 'deny',
        inputHash: approval.inputHash,
        who: 'command line',
        reason: '',
      });
      decided += 1;
    }
  }
  return decided;
}

const answers: Readonly<Record<string, 'y' | 'n' | 'later'>> = {
  ...{ y: 'y', yes: 'y', n: 'n', no: 'n', '': 'later' },
};

/** Asks until the answer is one: what was mistyped is neither a decision nor its delay. No more input is `later`. */
async function question(
  { world, terminal: { ask }, ticketOf, signal }: Deciding,
  job: Job,
  approval: Waiting,
): Promise<'y' | 'n' | 'later'> {
  if (ask === undefined) return 'later';
  let before = approvalText(ticketOf(job.id), approval, world.clock.now());
  while (!signal.aborted) {
    const given = (await ask(`${before}Approve? [y = yes, n = no, Enter = later] `)).trim().toLowerCase();
    const answer = Object.hasOwn(answers, given) ? answers[given] : undefined;
    if (answer !== undefined) return answer;
    before = `"${oneLine(given.slice(0, 40))}" is none of these. `;
  }
  return 'later';
}

/** What a person has to know to decide: which ticket, what is to be done with which arguments, and for how long it waits. */
export function approvalText(
  ticket: { readonly id: string; readonly subject: string },
  { tool, input, expiresAtMs }: Waiting,
  nowMs: number,
): string {
  const given = isObject(input) ? Object.entries(input) : [['input', input] as const];
  const line = (text: string): string => oneLine(shown(text));
  const subject = ticket.subject === '' ? '' : `: ${line(ticket.subject)}`;
  return [
    `\nTicket ${line(ticket.id)}${subject}`,
    `asks for ${line(tool)}`,
    ...given.map(([name, value]) => `  ${line(name)}: ${valueText(value)}`),
    `${timeText(expiresAtMs - nowMs)} left to decide, until ${new Date(expiresAtMs).toISOString()}`,
    '',
  ].join('\n');
}

/** A text of several lines stands further in, so that no line of it looks like another argument. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return shown(text).replaceAll(/\r\n|[\n\r\u2028\u2029]/g, '\n      ');
}

const MINUTE_MS = 60_000;

function timeText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS));
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
