import { createWarmTranscripts } from '../app/transcript.ts';
import { createWorkerHandler, type QueueHandler } from '../app/worker-handler.ts';
import type { World } from '../app/world.ts';
import { RetryableError } from '../core/errors.ts';

/** Uses of the world within which a process that is to die does so: few enough that most steps are hit in the middle. */
const MAX_USES = 12;

type Use = (...given: never[]) => Promise<unknown>;

/** What one process sees until it dies: from then on nothing that it began or begins ever ends. */
function mortal(world: World, uses: number, died: () => void): World {
  let left = uses;
  const dying = new Promise<never>(() => undefined);
  const guard = <Port extends object>(port: Port): Port => {
    const guarded = Object.entries(port).map(([name, use]: [string, Use]) => [
      name,
      async (...given: never[]) => {
        if (left <= 0) return dying;
        const answer = await use(...given);
        left -= 1;
        if (left > 0) return answer;
        died();
        return dying;
      },
    ]);
    return { ...port, ...Object.fromEntries(guarded) };
  };
  return {
    ...world,
    warm: createWarmTranscripts(),
    store: guard(world.store),
    queue: guard(world.queue),
    model: guard(world.model),
  };
}

/**
 * A worker whose process dies in a share of its invocations, somewhere in the middle: what it had asked of the world is
 * done, and it hears of nothing any more. The invocation fails as one does whose environment is gone.
 */
export function createMortalWorker(world: World, crash: number, random: () => number): QueueHandler {
  const whole = createWorkerHandler(world);
  return (event, context) => {
    if (random() >= crash) return whole(event, context);
    const uses = 1 + Math.floor(random() * MAX_USES);
    return new Promise((resolve, reject) => {
      const died = (): void =>
        reject(new RetryableError('crashed', 'the worker crashed, as --chaos asks for'));
      createWorkerHandler(mortal(world, uses, died))(event, context).then(resolve, reject);
    });
  };
}
