import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { agents as shipped } from '../../../src/agents/index.ts';
import { defineAgent, defineTool } from '../../../src/core/agent.ts';
import { chromiumPath } from '../../support/chromium.ts';
import { type DevStack, says, startDev } from '../../support/dev-stack.ts';
import { visit } from './visit.ts';

/** The server does what it is asked, and the first answer does not arrive: whoever presses again wants it once. */

let paid = 0;
const pay = defineTool({
  ...{ name: 'pay', description: 'Pays', approval: true },
  input: z.object({ order: z.number() }),
  run: () => {
    paid += 1;
    return 'paid';
  },
});
const payer = defineAgent({ name: 'payer', model: 'scripted-1', system: 'Pay.', tools: [pay] });

let browser: Browser;
let dev: DevStack;
beforeAll(async () => {
  dev = await startDev([...shipped, payer]);
  dev.script('For ever', [says('', ['get_order', { id: 42 }])], true);
  browser = await chromium.launch({ executablePath: chromiumPath() });
});
afterAll(async () => {
  await browser?.close();
  await dev?.close();
});

const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click();

/** Loses the answer to the first request of this kind. Returns how many of them arrived at the server. */
async function loseFirst(page: Page, path: string): Promise<() => number> {
  let sent = 0;
  await page.route(`**${path}`, async (route) => {
    sent += 1;
    if (sent > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  return () => sent;
}

/** A job that is out of steps, and is so again after each further one. */
const stopped = () => dev.run({ agent: 'orders', input: 'For ever', limits: { maxSteps: 1 } });

it('extends the pool of a batch once', async () => {
  const rows = [{ id: 'r', input: 'For ever', limits: { maxSteps: 1 } }];
  const { id } = await dev.client.submitBatch({ agent: 'orders', rows, budgetUsd: 1, open: true });
  const { page, context } = await visit(browser, `${dev.api}/console/batches/${id}`);
  const sent = await loseFirst(page, '/extend');
  await page.getByRole('button', { name: 'Extend the pool' }).click();
  await page.getByLabel('US dollars to add').fill('1');
  await press(page, 'Extend');
  await page.getByText('it may be done or not').waitFor();
  await press(page, 'Extend');
  await page.getByText('Extended.').waitFor();
  expect(sent()).toBe(2);
  expect((await dev.client.batch(id)).cost.budgetUsd).toBe(2);
  await context.close();
});

it('says that another amount was sent before, and adds nothing to it', async () => {
  const rows = [{ id: 'r', input: 'For ever', limits: { maxSteps: 1 } }];
  const { id } = await dev.client.submitBatch({ agent: 'orders', rows, budgetUsd: 1, open: true });
  const { page, context } = await visit(browser, `${dev.api}/console/batches/${id}`);
  await loseFirst(page, '/extend');
  await page.getByRole('button', { name: 'Extend the pool' }).click();
  await page.getByLabel('US dollars to add').fill('1');
  await press(page, 'Extend');
  await page.getByText('it may be done or not').waitFor();
  await page.getByLabel('US dollars to add').fill('5');
  await press(page, 'Extend');
  await page.getByText('close this and look before more is sent').waitFor();
  expect((await dev.client.batch(id)).cost.budgetUsd).toBe(2);
  await context.close();
});

it('sends a message to a job once', async () => {
  const { id } = await dev.run({ agent: 'orders', input: 'How is order 42?' });
  const { page, context } = await visit(browser, `${dev.api}/console/jobs/${id}`);
  await loseFirst(page, '/messages');
  await page.getByRole('button', { name: 'Follow up' }).click();
  await page.getByLabel('Message to the model').fill('And customer 7?');
  await press(page, 'Send');
  await page.getByText('it may be done or not').waitFor();
  await dev.rest(id);
  await press(page, 'Send');
  await dialog(page).waitFor({ state: 'detached' });
  await dev.rest(id);
  const { items } = await dev.client.messages(id);
  expect(JSON.stringify(items).split('And customer 7?')).toHaveLength(2);
  await context.close();
});

it('decides once, and lets whoever was not heard press again', async () => {
  dev.script('Refund', [says('', ['pay', { order: 1 }]), says('Done.')]);
  const { id } = await dev.run({ agent: 'payer', input: 'Refund' });
  const { page, context } = await visit(browser, `${dev.api}/console/approvals`);
  await loseFirst(page, '/approvals/*');
  await page.locator('.ask').getByRole('button', { name: 'Approve' }).click();
  await press(page, 'Approve');
  await page.getByText('it may be done or not').waitFor();
  await press(page, 'Approve');
  await page.locator('.ask').getByText('Approved.').waitFor();
  expect((await dev.rest(id)).status).toBe('succeeded');
  expect(paid).toBe(1);
  await context.close();
});

it.each([
  ['Extend', '/extend', 'Steps to add'],
  ['Retry', '/retry', 'From the start of step'],
])('does "%s" once, also where the job has ended again by then', async (verb, path, field) => {
  const { id } = await stopped();
  const { page, context } = await visit(browser, `${dev.api}/console/jobs/${id}`);
  const sent = await loseFirst(page, path);
  await page.getByRole('button', { name: verb, exact: true }).click();
  await page.getByLabel(field).fill('1');
  await press(page, verb);
  await page.getByText('it may be done or not').waitFor();
  const { limits } = await dev.rest(id);
  await press(page, verb);
  await page.getByText('It has gone on since you asked: nothing more was sent.').waitFor();
  expect(sent()).toBe(1);
  expect((await dev.rest(id)).limits).toEqual(limits);
  await context.close();
});
