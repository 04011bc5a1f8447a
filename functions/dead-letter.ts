import { createDeadLetterHandler, type QueueHandler } from '../src/app/worker-handler.ts';
import { createLambdaWorld, noModel } from '../src/lambda-world.ts';
import { once } from '../src/once.ts';

const consumer = once(() =>
  createDeadLetterHandler(createLambdaWorld({ model: noModel, agents: [] }, process.env)),
);

/** Keeps what the step queue gave up, and makes its jobs due. */
export const handler: QueueHandler = (event, context) => consumer()(event, context);
