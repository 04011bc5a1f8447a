import type { Asking } from './asking.ts';

/** Whether a person agrees; where nobody can be asked, the command itself was the agreement. */
export async function confirmed({ terminal, signal }: Asking, question: string): Promise<boolean> {
  if (terminal.ask === undefined) return true;
  const interrupted = new Promise<string>((resolve) =>
    signal.addEventListener('abort', () => resolve(''), { once: true }),
  );
  const answer = await Promise.race([terminal.ask(`${question} [y = yes] `), interrupted]);
  return /^y(es)?$/i.test(answer.trim());
}
