import stringWidth from 'string-width';
import { clipped } from '../../tickets/padded.ts';
import { boardWidth, type Terminal } from '../terminal.ts';

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
  let drawn: readonly string[] = [];
  let before = '';
  let shownMs = Number.NEGATIVE_INFINITY;
  const wipe = (): string => {
    if (drawn.length === 0) return '';
    // A window that became narrower since has broken lines in two.
    const rows = drawn.map((line) => Math.max(1, Math.ceil(stringWidth(line) / (boardWidth(terminal) + 1))));
    return `\u001b[${rows.reduce((sum, one) => sum + one)}A\r\u001b[J`;
  };
  return {
    show: ({ lines, text }) => {
      if (terminal.live) {
        // A line that wraps would be two, and the next redrawing would leave one behind.
        const shown = lines.map((line) => clipped(line, boardWidth(terminal)));
        terminal.err(`${wipe()}${shown.join('\n')}\n`);
        drawn = shown;
      } else if (text !== before && now() - shownMs >= PLAIN_EVERY_MS) {
        terminal.err(`${text}\n`);
        before = text;
        shownMs = now();
      }
    },
    end: () => {
      if (drawn.length > 0) terminal.err(wipe());
      drawn = [];
    },
  };
}
