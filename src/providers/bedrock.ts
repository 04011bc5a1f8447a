import { createBedrock } from '../adapters/bedrock.ts';
import { createSqsClient } from '../adapters/sqs.ts';
import type { Provider } from './provider.ts';

export const provider: Provider = {
  name: 'bedrock',
  createModel: ({ BEDROCK_MODEL_IDS: modelIds = {} }) =>
    createBedrock({ modelIds, credentials: createSqsClient().config.credentials }),
};
