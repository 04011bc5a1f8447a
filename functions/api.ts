import { agents } from '#agents';
import { telemetryFrom } from '#telemetry';
import { webhookUrlProblem } from '../src/adapters/webhook.ts';
import { createApi } from '../src/api/app.ts';
import { type ApiHandler, createApiHandler } from '../src/api/lambda-handler.ts';
import { apiFiles } from '../src/api-files.ts';
import { flushTelemetry } from '../src/app/observe.ts';
import { identifyOnAws } from '../src/aws-identity.ts';
import { createLambdaWorld, noModel } from '../src/lambda-world.ts';
import { once } from '../src/once.ts';
import { pricesFrom } from '../src/read-prices.ts';
import { apiSettings, readSettings } from '../src/settings.ts';

const api = once(() => {
  const settings = readSettings(apiSettings, process.env);
  const parts = { model: noModel, agents, prices: pricesFrom(settings), telemetryFrom };
  const world = createLambdaWorld(parts, process.env);
  const handle = createApiHandler(
    createApi({
      ...{ world, identify: identifyOnAws(settings) },
      ...{ files: apiFiles, webhookProblem: webhookUrlProblem },
    }),
  );
  return { world, handle };
});

/** Answers one request of the HTTP API. */
export const handler: ApiHandler = async (event) => {
  const { world, handle } = api();
  const answer = await handle(event);
  await flushTelemetry(world);
  return answer;
};
