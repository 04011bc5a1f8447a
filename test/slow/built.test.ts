import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Built, startBuilt } from './built-functions.ts';
import { fuzz, type ModelServer, startModel } from './processes.ts';

let model: ModelServer | undefined;
let functions: Built | undefined;

beforeAll(async () => {
  model = await startModel();
  functions = await startBuilt({ modelUrl: model.url, tenants: ['default', 'a'] });
});
afterAll(async () => {
  await functions?.close();
  await model?.stop();
});

it('the built functions answer whatever is sent, never with a fault of their own', async () => {
  const { code, text } = await fuzz(functions?.url ?? '', 1_000);
  expect({ code, text: code === 0 ? '' : text.slice(-2_000) }).toEqual({ code: 0, text: '' });
});

it('the built functions know nobody whose role belongs to no tenant', async () => {
  const headers = { 'x-treadle-tenant': 'b' };
  expect((await fetch(`${functions?.url}/agents`, { headers })).status).toBe(403);
  expect((await fetch(`${functions?.url}/agents`)).status).toBe(200);
});
