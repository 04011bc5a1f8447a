import { expect, it } from 'vitest';
import { readSettings, storeSettings, workerSettings } from '../src/settings.ts';

const needed = { TABLE_NAME: 'table', QUEUE_URL: 'http://127.0.0.1:1/queue' };

it.each([
  ['250', 250],
  ['0.5', 0.5],
  [undefined, undefined],
])('reads %s dollars a day', (text, dollars) => {
  const environment = text === undefined ? needed : { ...needed, TENANT_DAILY_USD: text };
  for (const shape of [storeSettings, workerSettings])
    expect(readSettings(shape, environment).TENANT_DAILY_USD).toBe(dollars);
});

it.each(['', '0', '-1', 'much', 'Infinity', '0.0000001'])(
  'refuses "%s" dollars a day by its name',
  (text) => {
    expect(() => readSettings(storeSettings, { ...needed, TENANT_DAILY_USD: text })).toThrow(
      'TENANT_DAILY_USD',
    );
  },
);
