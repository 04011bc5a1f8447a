import { main } from '../../src/cli/main.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A terminal that keeps what is written: by default nobody looks at it. */
export function keptTerminal(given: Partial<Terminal> = {}): {
  readonly terminal: Terminal;
  readonly said: () => Omit<Said, 'code'>;
} {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal: Terminal = {
    ...{ live: false, color: false, width: 100, ask: undefined },
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    ...given,
  };
  return { terminal, said: () => ({ out: out.join(''), err: err.join('') }) };
}

/** `treadle` with these arguments, against the API on this port. */
export async function treadle(
  port: number,
  args: readonly string[],
  given: Partial<Terminal> = {},
): Promise<Said> {
  const { terminal, said } = keptTerminal(given);
  const code = await main([...args, '--endpoint', `http://127.0.0.1:${port}`], terminal);
  return { code, ...said() };
}

export const json = ({ out }: Said): unknown => JSON.parse(out);
