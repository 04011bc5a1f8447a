import { clipped } from '../tickets/padded.ts';
import { exactUsd, usd } from '../tickets/summary.ts';
import { BAR, bar, beside, shareOf } from './ask/bars.ts';
import type { RunState } from './run.ts';
import { boardWidth, type Terminal } from './terminal.ts';

/** Shows how far a run is: one line redrawn on a terminal, plain lines elsewhere. */
export interface Progress<State> {
  readonly show: (state: State) => void;
  readonly end: () => void;
}

/** How far a run is, and in words. */
export interface Stand {
  readonly done: number;
  readonly of: number;
  readonly text: string;
  /** Nothing more happens: a line that is shown now and then is shown once more. */
  readonly last: boolean;
}

const PLAIN_EVERY_MS = 2_000;

function standOf(state: RunState): Stand {
  const done = state.ended + state.waiting;
  const waits = state.waiting === 0 ? '' : `, ${state.waiting} waiting for a person`;
  const money = `${usd(state.spentUsd)} of ${exactUsd(state.budgetUsd)}`;
  const text = `${done} of ${state.rows} tickets, ${state.running} running${waits}, ${money}`;
  return { done, of: state.rows, text, last: state.atRest };
}

export function createProgress(terminal: Terminal, quiet: boolean, now: () => number): Progress<RunState> {
  const shown = createBar(terminal, quiet, now);
  return { ...shown, show: (state) => shown.show(standOf(state)) };
}

export function createBar(terminal: Terminal, quiet: boolean, now: () => number): Progress<Stand> {
  let before = '';
  let shownMs = 0;
  let drawn = false;
  const show = ({ done, of, text, last }: Stand): void => {
    if (quiet) return;
    if (terminal.live) {
      // A line that wraps would leave its beginning behind.
      const line = beside(bar(shareOf(done, of), BAR), text, boardWidth(terminal));
      terminal.err(`\r\u001b[K${clipped(line, boardWidth(terminal))}`);
      drawn = true;
    } else if (text !== before && (now() - shownMs >= PLAIN_EVERY_MS || last)) {
      terminal.err(`${text}\n`);
      before = text;
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
