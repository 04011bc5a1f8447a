import { agents } from '#agents';
import { telemetryFrom } from '#telemetry';
import { measure } from '../src/app/measure.ts';
import { flushTelemetry } from '../src/app/observe.ts';
import { type Reconciled, reconcile } from '../src/app/reconcile.ts';
import { embeddedMetrics } from '../src/core/metrics.ts';
import { createLambdaWorld, noModel } from '../src/lambda-world.ts';
import { once } from '../src/once.ts';
import { readSettings, storeSettings } from '../src/settings.ts';

const reconciler = once(() => ({
  world: createLambdaWorld({ model: noModel, agents, telemetryFrom }, process.env),
  tableName: readSettings(storeSettings, process.env).TABLE_NAME,
}));

/** Every minute: looks at everything that is overdue, and measures what is left. */
export const handler = async (): Promise<Reconciled> => {
  const { world, tableName } = reconciler();
  const reconciled = await reconcile(world);
  const measures = await measure(world, reconciled);
  world.log('info', 'measured', embeddedMetrics(measures, tableName, world.clock.now()));
  await flushTelemetry(world);
  return reconciled;
};
