import { agents } from '#agents';
import { webhookUrlProblem } from '../src/adapters/webhook.ts';
import { createApi } from '../src/api/app.ts';
import { type ApiHandler, createApiHandler } from '../src/api/lambda-handler.ts';
import { apiFiles } from '../src/api-files.ts';
import { identifyOnAws } from '../src/aws-identity.ts';
import { createLambdaWorld, noModel } from '../src/lambda-world.ts';
import { once } from '../src/once.ts';
import { pricesFrom } from '../src/read-prices.ts';
import { apiSettings, readSettings } from '../src/settings.ts';

const api = once(() => {
  const settings = readSettings(apiSettings, process.env);
  const parts = { model: noModel, agents, prices: pricesFrom(settings) };
  const world = createLambdaWorld(parts, process.env);
  return createApiHandler(
    createApi({
      ...{ world, identify: identifyOnAws(settings) },
      ...{ files: apiFiles, webhookProblem: webhookUrlProblem },
    }),
  );
});

/** Answers one request of the HTTP API. */
export const handler: ApiHandler = async (event) => api()(event);
