import type { Terminal } from './terminal.ts';
import type { BatchState } from './watch-batch.ts';

/** Shows how far a run is: one line redrawn on a terminal, plain lines elsewhere. */
export interface Progress {
  readonly show: (state: BatchState) => void;
  readonly end: () => void;
}

const BAR = 24;
const PLAIN_EVERY_MS = 2_000;

function line(state: BatchState): string {
  const done = state.ended + state.waiting.length;
  const waits = state.waiting.length === 0 ? '' : `, ${state.waiting.length} waiting for a person`;
  const spent = (state.spentMicroUsd / 1e6).toFixed(4);
  const budget = (state.batch.budget / 1e6).toFixed(2);
  return `${done} of ${state.rows} tickets, ${state.running} running${waits}, $${spent} of $${budget}`;
}

export function createProgress(terminal: Terminal, quiet: boolean, now: () => number): Progress {
  let last = '';
  let shownMs = 0;
  let drawn = false;
  const show = (state: BatchState): void => {
    if (quiet) return;
    const text = line(state);
    if (terminal.live) {
      const filled = Math.round((BAR * (state.ended + state.waiting.length)) / Math.max(1, state.rows));
      terminal.err(`\r\u001b[K[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${text}`);
      drawn = true;
    } else if (text !== last && (now() - shownMs >= PLAIN_EVERY_MS || state.atRest)) {
      terminal.err(`${text}\n`);
      last = text;
      shownMs = now();
    }
  };
  return {
    show,
    end: () => {
      if (drawn) terminal.err('\r\u001b[K');
      drawn = false;
    },
  };
}
