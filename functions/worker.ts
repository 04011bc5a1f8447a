import { createClaude } from '../src/adapters/claude.ts';
import { agents } from '../src/agents/index.ts';
import { createWorkerHandler, type QueueHandler } from '../src/app/worker-handler.ts';
import { createLambdaWorld, once } from '../src/lambda-world.ts';
import { pricesFrom } from '../src/read-prices.ts';
import { readSettings, workerSettings } from '../src/settings.ts';

const worker = once(() => {
  const { TREADLE_PRICES } = readSettings(workerSettings, process.env);
  const parts = { model: createClaude(), agents, prices: pricesFrom(TREADLE_PRICES) };
  return createWorkerHandler(createLambdaWorld(parts, process.env));
});

/** Handles up to ten messages of the step queue, all awaited together. */
export const handler: QueueHandler = (event, context) => worker()(event, context);
