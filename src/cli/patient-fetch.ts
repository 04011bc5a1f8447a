import type { Clock } from '../ports.ts';

const TRIES = 5;

/**
 * Reads again what could not be read, once the deployment has answered at all: whoever mistyped an address should not
 * wait. A change is sent once: what became of it is not known.
 */
export function patient(send: typeof fetch, clock: Clock, signal?: AbortSignal): typeof fetch {
  let answered = false;
  return async (input, init) => {
    const tries = answered && init?.method === 'GET' ? TRIES : 1;
    for (let tried = 1; ; tried += 1) {
      const last = tried === tries;
      try {
        const response = await send(input, init);
        answered ||= response.ok;
        if (last || (response.status < 500 && response.status !== 429)) return response;
        await response.body?.cancel();
      } catch (error) {
        if (last || signal?.aborted === true) throw error;
      }
      await clock.sleep(500 * 2 ** tried, signal);
    }
  };
}
