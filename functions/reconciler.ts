import { agents } from '#agents';
import { type Reconciled, reconcile } from '../src/app/reconcile.ts';
import { createLambdaWorld, noModel } from '../src/lambda-world.ts';
import { once } from '../src/once.ts';

const world = once(() => createLambdaWorld({ model: noModel, agents }, process.env));

/** Every minute: looks at everything that is overdue. */
export const handler = (): Promise<Reconciled> => reconcile(world());
