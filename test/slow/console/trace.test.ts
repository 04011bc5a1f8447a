import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readScript } from '../../../src/adapters/scripted-model/script.ts';
import { createApi } from '../../../src/api/app.ts';
import { apiFiles } from '../../../src/api-files.ts';
import { submit } from '../../../src/app/submit.ts';
import { createClient } from '../../../src/client.ts';
import { usd } from '../../../src/console/model/figures.ts';
import { identifyLocally, startApiServer } from '../../../src/local/api-server.ts';
import { withConsole } from '../../../src/local/console-site.ts';
import { fieldAgents, newEffects } from '../../field/agents.ts';
import { chromiumPath } from '../../support/chromium.ts';
import { type DevStack, startDev } from '../../support/dev-stack.ts';
import { runFor } from '../../support/drive.ts';
import { callsModel, textReply } from '../../support/fake-model.ts';
import { memoryWorld } from '../../support/world.ts';
import { visit } from './visit.ts';

let browser: Browser;
let dev: DevStack;
beforeAll(async () => {
  dev = await startDev();
  browser = await chromium.launch({ executablePath: chromiumPath() });
});
afterAll(async () => {
  await browser?.close();
  await dev?.close();
});

async function copied(page: Page, context: BrowserContext, what: string): Promise<string> {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: `Copy ${what}`, exact: true }).click();
  await page.getByText(`Copied: ${what}.`).waitFor();
  return String(await page.evaluate('navigator.clipboard.readText()'));
}

it('shows and copies as raw JSON what the API answers', async () => {
  const { id } = await dev.run({ agent: 'orders', input: 'How is customer 7, and order 42?' });
  const { page, context, heard } = await visit(browser, `${dev.api}/console/jobs/${id}`);
  await page.locator('.steps > li').first().waitFor();
  const answered = { job: await dev.client.job(id), steps: (await dev.client.steps(id)).items };
  expect(JSON.parse(await copied(page, context, 'raw JSON'))).toEqual(answered);
  const raw = page.locator('details', { hasText: 'Raw JSON' });
  await raw.locator('summary').click();
  await raw.getByRole('button', { name: 'Show all of the raw JSON' }).click();
  expect(JSON.parse((await raw.locator('pre').textContent()) ?? '')).toEqual(answered);
  expect(heard).toEqual([]);
  await context.close();
});

it('copies a model script and a request that play the same steps again', async () => {
  const { id } = await dev.run({ agent: 'orders', input: 'How is customer 7, and order 42?' });
  const { page, context } = await visit(browser, `${dev.api}/console/jobs/${id}`);
  await page.locator('.steps > li').first().waitFor();
  const { turns } = readScript(await copied(page, context, 'as model script'));
  const { items } = await dev.client.messages(id);
  const replies = items.filter(({ role }) => role === 'assistant').map(({ content }) => content);
  expect(turns.map(({ body }) => typeof body === 'object' && body['content'])).toEqual(replies);
  const request = JSON.parse(await copied(page, context, 'the request'));
  expect(request).toMatchObject({ agent: 'orders', input: 'How is customer 7, and order 42?' });
  dev.script('The same once more', turns);
  const again = await dev.run({ ...request, input: 'The same once more' });
  const told = async (job: string) =>
    (await dev.client.steps(job)).items.map(({ text, calls, model }) => ({
      ...{ text, cost: model.costUsd, stop: model.stopReason },
      calls: calls.map(({ name, input, output }) => ({ name, input, output })),
    }));
  expect(await told(again.id)).toEqual(await told(id));
  await page.getByText('dev --port 0 --model-script').waitFor();
  await context.close();
});

it('counts down how long there is to decide, and decides nothing after that', async () => {
  const input = 'Order ORD-1006 never arrived. Please refund the full amount to my card.';
  await dev.run({ agent: 'triage', input });
  const { page, context } = await visit(browser, `${dev.api}/console/approvals`);
  // The console goes by the server's clock: both go on alike.
  let aheadMs = 0;
  await page.route(/\/(approvals|jobs)/, async (route) => {
    const response = await route.fetch();
    const date = new Date(Date.now() + aheadMs).toUTCString();
    await route.fulfill({ response, headers: { ...response.headers(), date } });
  });
  const goOn = async (minutes: number): Promise<void> => {
    aheadMs += minutes * 60_000;
    await page.clock.fastForward(minutes * 60_000);
  };
  await page.clock.install();
  await page.reload();
  const card = page.locator('.ask').first();
  await card.getByText(/^2 d 23 h left$/).waitFor();
  await goOn(71 * 60 + 30);
  await card
    .locator('.warn')
    .getByText(/^2\d min( \d+ s)? left$/)
    .waitFor();
  await goOn(31);
  await card.getByText('the time to decide is over').waitFor();
  expect(await card.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
  // An answer may be on its way yet.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
});

it('says in ledger, timeline and transcript what attempts of unknown outcome left, each by itself', async () => {
  const lost = { type: 'wait', billed: 'unknown', retryAfterMs: undefined, problem: 'no answer' } as const;
  const { model } = callsModel([lost, lost, textReply('Done.')]);
  const world = memoryWorld({
    agents: fieldAgents(newEffects(), { limits: { maxSteps: 5, maxCostUsd: 100 } }),
    model,
  });
  const made = await submit(world, { tenant: 'default', agent: 'field', input: 'Look' });
  if (made.type !== 'created') throw new Error('there is no job');
  await runFor(world, 60);
  const api = createApi({ world, identify: identifyLocally, files: apiFiles });
  const server = await startApiServer({ api: withConsole(api), port: 0 });
  const { items } = await createClient({ endpoint: server.url }).steps(made.job.id);
  const each = items[0]?.model.unsettledEachUsd.map(usd) ?? [];
  expect(each).toHaveLength(2);
  const { page, context, heard } = await visit(browser, `${server.url}/console/jobs/${made.job.id}`);
  const said = `2 attempts of unknown outcome left ${usd(items[0]?.model.unsettledUsd ?? 0)} unsettled: ${each.join(', ')}`;
  for (const part of ['.ledger', '.waterfall', '.steps'])
    await page.locator(part).getByText(said).first().waitFor();
  expect(await page.locator('.waterfall .tone-unsettled').count()).toBe(2);
  expect(heard).toEqual([]);
  await context.close();
  await server.close();
});
