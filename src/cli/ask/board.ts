import type { Terminal } from '../terminal.ts';
import { clipped } from './wrapped.ts';

/** What is watched, as it stands now. */
export interface Picture {
  /** Redrawn in place on a terminal. */
  readonly lines: readonly string[];
  /** One plain line for everywhere else. */
  readonly text: string;
}

export interface Board {
  readonly show: (picture: Picture) => void;
  /** Takes what was drawn away, so that the result stands in its place. */
  readonly end: () => void;
}

const PLAIN_EVERY_MS = 2_000;

/** Several lines that are redrawn on a terminal, and plain lines now and then elsewhere. All on stderr. */
export function createBoard(terminal: Terminal, now: () => number): Board {
  let drawn = 0;
  let before = '';
  let shownMs = Number.NEGATIVE_INFINITY;
  const wipe = (): string => (drawn === 0 ? '' : `\u001b[${drawn}A\r\u001b[J`);
  return {
    show: ({ lines, text }) => {
      if (terminal.live) {
        // A line that wraps would be two, and the next redrawing would leave one behind.
        const shown = lines.map((line) => `${clipped(line, terminal.width - 1)}\n`);
        terminal.err(`${wipe()}${shown.join('')}`);
        drawn = lines.length;
      } else if (text !== before && now() - shownMs >= PLAIN_EVERY_MS) {
        terminal.err(`${text}\n`);
        before = text;
        shownMs = now();
      }
    },
    end: () => {
      if (drawn > 0) terminal.err(wipe());
      drawn = 0;
    },
  };
}
