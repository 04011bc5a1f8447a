import { agents } from '../src/agents/index.ts';
import { type Reconciled, reconcile } from '../src/app/reconcile.ts';
import { createLambdaWorld, noModel, once } from '../src/lambda-world.ts';

const world = once(() => createLambdaWorld({ model: noModel, agents }, process.env));

/** Every minute: looks at everything that is overdue. */
export const handler = (): Promise<Reconciled> => reconcile(world());
