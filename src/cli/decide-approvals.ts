import { approvalsOf, judge } from '../app/approve.ts';
import type { World } from '../app/world.ts';
import type { Job } from '../core/job.ts';
import type { Terminal } from './terminal.ts';

export type ApprovalsMode = 'ask' | 'deny' | 'leave';

/** Puts every waiting call before a person, or denies it. Returns how many were decided. */
export async function decideApprovals(
  world: World,
  terminal: Terminal,
  mode: Exclude<ApprovalsMode, 'leave'>,
  jobs: readonly Job[],
  ticketOf: (jobId: string) => string,
): Promise<number> {
  let decided = 0;
  for (const job of jobs) {
    for (const approval of await approvalsOf(world, job)) {
      if (approval.status !== 'pending') continue;
      const answer = mode === 'deny' ? 'n' : await question(terminal, ticketOf(job.id), approval);
      if (answer !== 'y' && answer !== 'n') continue;
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

async function question(
  terminal: Terminal,
  ticket: string,
  approval: { readonly tool: string; readonly input: unknown; readonly expiresAtMs: number },
): Promise<string> {
  if (terminal.ask === undefined) return '';
  const expires = new Date(approval.expiresAtMs).toISOString();
  const shown = `\nTicket ${ticket} asks: ${approval.tool} ${JSON.stringify(approval.input)} (until ${expires})\n`;
  return (await terminal.ask(`${shown}Approve? [y = yes, n = no, Enter = later] `)).trim().toLowerCase();
}
