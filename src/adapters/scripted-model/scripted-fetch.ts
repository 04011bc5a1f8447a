import type { Clock } from '../../ports.ts';
import type { ScriptedModel } from './model.ts';

/** Waits for `ms`, or until `signal` aborts. */
function realSleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * A `fetch` for the SDK that ends in the model instead of a socket. An aborted call rejects as a real one does, and the
 * model has billed it all the same.
 */
export function scriptedFetch(model: ScriptedModel, sleep: Clock['sleep'] = realSleep): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = await request.text();
    request.signal.throwIfAborted();
    const answer = model.respond({
      method: request.method,
      path: new URL(request.url).pathname,
      headers: Object.fromEntries(request.headers),
      body: typeof init?.body === 'string' ? init.body : body,
    });
    if (answer.delayMs > 0) await sleep(answer.delayMs, request.signal);
    request.signal.throwIfAborted();
    return new Response(answer.body, { status: answer.status, headers: { ...answer.headers } });
  };
}
