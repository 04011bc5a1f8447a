import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../src/client.ts';
import { chromiumPath } from '../../support/chromium.ts';
import { type Dev, runDev } from '../dev-process.ts';
import { type Running, start } from '../processes.ts';
import { visit } from './visit.ts';

const SKEW_MS = 4 * 86_400_000;
const wanted = {
  agent: 'triage',
  input: 'Order ORD-1006 never arrived. Please refund the full amount to my card.',
};

let browser: Browser;
let dev: Dev;
let served: Running;
let ready: { readonly console: string; readonly endpoint: string };
beforeAll(async () => {
  dev = await runDev([]);
  served = start(['console', '--endpoint', dev.api, '--port', '0', '--json']);
  const line = await new Promise<string>((resolve) =>
    served.child.stdout?.once('data', (chunk) => resolve(String(chunk))),
  );
  ready = JSON.parse(line);
  browser = await chromium.launch({ executablePath: chromiumPath() });
});
afterAll(async () => {
  await browser?.close();
  await dev?.kill();
});

it('shows a deployment from a server of its own, and decides there', async () => {
  await dev.client.submit(wanted);
  expect(ready.endpoint).toBe(dev.api);
  expect(new URL(ready.console).origin).not.toBe(dev.api);
  const { page, context, heard } = await visit(browser, `${ready.console}approvals`);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await page.locator('.ask').getByText('Approved. The call is run').waitFor();
  expect((await dev.client.approvals()).items).toEqual([]);
  await page.getByText('Answers are scripted by rules').waitFor();
  expect(heard).toEqual([]);
  await context.close();
});

it.each([
  ['ahead', SKEW_MS],
  ['behind', -SKEW_MS],
])('lets a call be decided where the clock of the browser is four days %s', async (_, aheadMs) => {
  const { id } = await dev.client.submit({ ...wanted, input: `${wanted.input} ${aheadMs}` });
  const { page, context, heard } = await visit(browser, `${ready.console}approvals`, { aheadMs });
  const approve = page.getByRole('button', { name: 'Approve' });
  await approve.waitFor();
  expect(await page.locator('.ask-head p').textContent()).toBe('2 d 23 h left');
  expect(await page.locator('.ask .facts').textContent()).toMatch(/waits for \d+ s/);
  await approve.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await page.locator('.ask').getByText('Approved. The call is run').waitFor();
  expect((await dev.client.approvals()).items.filter(({ jobId }) => jobId === id)).toEqual([]);
  expect(heard).toEqual([]);
  await context.close();
});

it('shows the jobs of the tenant that is chosen, and no others', async () => {
  const { page, context } = await visit(browser, `${ready.console}jobs`);
  await page.locator('.jobs tbody tr').first().waitFor();
  await page.getByLabel('Tenant').fill('nobody-else');
  await page.getByLabel('Tenant').press('Enter');
  await page.getByText('There is no such job.').waitFor();
  expect(new URL(page.url()).search).toBe('?tenant=nobody-else');
  await context.close();
});

it('names the tenant in every address, so that a link shows the same to whoever opens it', async () => {
  const acme = createClient({ endpoint: dev.api, headers: { 'x-treadle-tenant': 'acme' } });
  const { id } = await acme.submit({ agent: 'orders', input: 'How is order 42?' });
  const { page, context } = await visit(browser, `${ready.console}?tenant=acme`);
  await page.keyboard.type('gj');
  await page.locator('.jobs tbody a').click();
  await page.locator('.steps > li').first().waitFor();
  expect(new URL(page.url()).pathname).toMatch(new RegExp(`/${id}$`));
  const link = page.url();
  const links = await page.locator('a[href^="/console"]').evaluateAll((all) => all.map((one) => one.href));
  expect(links.filter((href) => new URL(href).searchParams.get('tenant') !== 'acme')).toEqual([]);
  await page.getByRole('link', { name: 'Jobs' }).first().click();
  await page.getByLabel('Status').selectOption('succeeded');
  await page.waitForURL(/status=succeeded/);
  expect(new URL(page.url()).searchParams.get('tenant')).toBe('acme');
  await context.close();
  const other = await visit(browser, link);
  await other.page.getByRole('heading', { name: 'How is order 42?' }).waitFor();
  await other.context.close();
});

it('says that no tenant can have a name, and shows the jobs of none under it', async () => {
  const { page, context } = await visit(browser, `${ready.console}jobs`);
  await page.locator('.jobs tbody tr').first().waitFor();
  await page.getByLabel('Tenant').fill('not this one');
  await page.getByLabel('Tenant').press('Enter');
  await page.getByText('No tenant has this name').waitFor();
  expect(await page.locator('.jobs').count()).toBe(0);
  await page.getByLabel('Tenant').fill('');
  await page.getByLabel('Tenant').press('Enter');
  await page.locator('.jobs tbody tr').first().waitFor();
  expect(new URL(page.url()).search).toBe('');
  await context.close();
});

it('is served by dev as well, at the address that its ready line names', async () => {
  const { page, context, heard } = await visit(browser, `${dev.api}/`);
  await page.locator('h1').getByText('under way').waitFor();
  expect(page.url()).toBe(`${dev.api}/console/`);
  expect(heard).toEqual([]);
  await context.close();
});

it.each(['jobs/%', 'batches/%E0%A4%A', '%', 'jobs/%zz/%'])(
  'has no page at %s, which cannot be decoded, and leads back from there',
  async (path) => {
    const { page, context, heard } = await visit(browser, `${ready.console}${path}`);
    await page.locator('h1').getByText('There is no such page').waitFor();
    await page.getByRole('link', { name: 'Back to the overview' }).click();
    await page.locator('.totals').waitFor();
    await page.goBack();
    await page.locator('h1').getByText('There is no such page').waitFor();
    expect(heard).toEqual([]);
    await context.close();
  },
);

it('passes on nothing that another page sends', async () => {
  const { origin } = new URL(ready.console);
  const headers = { origin: 'http://evil.example' };
  expect((await fetch(`${origin}/api/control/stop`, { method: 'POST', headers })).status).toBe(403);
  expect((await dev.client.health()).stopped).toBe(false);
});

it('guards every answer, its own refusals and those of dev included', async () => {
  const { origin } = new URL(ready.console);
  const answers = await Promise.all([
    fetch(`${origin}/api/jobs`),
    fetch(`${origin}/api/jobs/job_none`),
    fetch(`${origin}/none`),
    fetch(`${origin}/api/jobs`, { headers: { origin: 'http://evil.example' } }),
    fetch(`${origin}/console/`),
    fetch(`${dev.api}/jobs`),
  ]);
  for (const { url, headers } of answers) {
    expect(headers.get('content-security-policy'), url).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options'), url).toBe('nosniff');
  }
});

it('says that the deployment is gone, and ends on Ctrl-C', async () => {
  const { page, context } = await visit(browser, ready.console);
  await page.locator('.totals').waitFor();
  await dev.kill();
  await page.getByText('Connection lost.').waitFor();
  await context.close();
  served.child.kill('SIGINT');
  expect(await served.finished).toMatchObject({ code: 0, stderr: '' });
});
