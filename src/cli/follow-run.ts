import type { Clock } from '../ports.ts';
import { type ApprovalsMode, decideApprovals } from './decide-approvals.ts';
import { createProgress } from './progress.ts';
import type { Run, WaitingCall } from './run.ts';
import type { Terminal } from './terminal.ts';

export interface Following {
  readonly run: Run;
  readonly terminal: Terminal;
  readonly quiet: boolean;
  /** @default ask where somebody can answer, else leave */
  readonly approvals: ApprovalsMode | undefined;
  readonly clock: Clock;
  readonly pollMs: number;
  readonly signal: AbortSignal;
}

/** Shows progress until nothing more happens without a person, and asks the person where one is there. */
export async function followRun(following: Following): Promise<void> {
  const { run, terminal, clock, signal } = following;
  const progress = createProgress(terminal, following.quiet, clock.now);
  const mode = following.approvals ?? (terminal.ask === undefined ? 'leave' : 'ask');
  const asked = new Set<string>();
  const isNew = (call: WaitingCall): boolean => !asked.has(nameOf(call));
  try {
    while (!signal.aborted) {
      const state = await run.state();
      progress.show(state);
      const now = mode !== 'leave' && state.waiting > 0 && (mode === 'deny' || state.atRest);
      const calls = now ? (await run.waiting()).filter(isNew) : [];
      if (state.atRest && calls.length === 0) return;
      if (mode !== 'leave' && calls.length > 0) {
        progress.end();
        await decideApprovals({ run, terminal, mode, signal, now: clock.now }, calls);
        for (const call of calls) asked.add(nameOf(call));
      }
      await clock.sleep(following.pollMs, signal);
    }
  } finally {
    progress.end();
  }
}

const nameOf = ({ jobId, callId }: WaitingCall): string => `${jobId} ${callId}`;
