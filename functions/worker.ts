import { agents } from '#agents';
import { provider } from '#provider';
import { telemetryFrom } from '#telemetry';
import { createWorkerHandler, type QueueHandler } from '../src/app/worker-handler.ts';
import { createLambdaWorld } from '../src/lambda-world.ts';
import { once } from '../src/once.ts';
import { modelFrom } from '../src/providers/provider.ts';
import { pricesFrom } from '../src/read-prices.ts';
import { readSettings, workerSettings } from '../src/settings.ts';

const worker = once(() => {
  const settings = readSettings(workerSettings, process.env);
  const parts = { model: modelFrom(provider, settings), agents, prices: pricesFrom(settings), telemetryFrom };
  return createWorkerHandler(createLambdaWorld(parts, process.env));
});

/** Handles up to ten messages of the step queue, all awaited together. */
export const handler: QueueHandler = (event, context) => worker()(event, context);
