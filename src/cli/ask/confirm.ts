import type { Asking } from './asking.ts';

/** Whether a person agrees; where nobody can be asked, the command itself was the agreement. */
export async function confirmed({ terminal }: Asking, question: string): Promise<boolean> {
  if (terminal.ask === undefined) return true;
  return /^y(es)?$/i.test((await terminal.ask(`${question} [y = yes] `)).trim());
}
