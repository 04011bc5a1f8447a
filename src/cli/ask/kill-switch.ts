import { ApiError } from '../../client.ts';
import { hint } from '../hint.ts';
import type { Asking } from './asking.ts';

/** Says why nothing moves where everything is stopped. Who may not ask how things stand is not told. */
export async function sayIfStopped({
  client,
  terminal,
  endpoint,
}: Pick<Asking, 'client' | 'terminal' | 'endpoint'>): Promise<void> {
  try {
    const { stopped } = await client.health();
    if (stopped)
      terminal.err(
        `The kill switch is on: nothing is begun or goes on until ${hint('start-all', endpoint)}.\n`,
      );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
