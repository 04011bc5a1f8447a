import { clipped } from '../../tickets/padded.ts';
import type { Terminal } from '../terminal.ts';
import { beside } from './bars.ts';
import { painted } from './shown.ts';
import { folded } from './wrapped.ts';

const NAME = 9;
const INDENT = ' '.repeat(NAME + 4);
const LEAST_ROOM = 16;

/** Writes texts under their names, in the width of the terminal. */
export interface Lines {
  /** One line; what does not fit is cut. */
  readonly cut: (name: string, text: string, faulty?: boolean) => void;
  /** In as many lines as it takes. */
  readonly whole: (name: string, text: string) => void;
  /** Figures, whole, with a bar where there is room for it. */
  readonly drawn: (name: string, bar: string, figures: string) => void;
}

export function createLines({ out, width, color }: Pick<Terminal, 'out' | 'width' | 'color'>): Lines {
  const start = (name: string): string => `  ${name.padEnd(NAME)}  `;
  const room = Math.max(LEAST_ROOM, width - INDENT.length);
  const whole = (name: string, text: string): void => {
    const [first = '', ...rest] = folded(text, room);
    out(`${start(name)}${first}\n${rest.map((line) => `${INDENT}${line}\n`).join('')}`);
  };
  return {
    cut: (name, text, faulty = false) => {
      const line = clipped(`${start(name)}${text}`, width);
      out(`${painted(line, faulty ? 'bad' : undefined, color)}\n`);
    },
    whole,
    drawn: (name, bar, figures) => {
      const both = beside(bar, figures, room);
      if (both === figures) whole(name, figures);
      else out(`${start(name)}${both}\n`);
    },
  };
}
