import { readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chromiumPath } from '../../support/chromium.ts';
import { type DevStack, startDev } from '../../support/dev-stack.ts';
import { projectFile } from '../processes.ts';
import { many, visit } from './visit.ts';

/** One operator's morning, in order: a batch comes, is watched, decided on, stopped, taken home. */

let browser: Browser;
let dev: DevStack;
let batchId = '';
beforeAll(async () => {
  dev = await startDev();
  browser = await chromium.launch({ executablePath: chromiumPath() });
});
afterAll(async () => {
  await browser?.close();
  await dev?.close();
});

const at = (path: string): string => `${dev.api}/console/${path}`;
const heading = (page: Page) => page.locator('h1');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });

it('watches a batch of 60 until all have ended but those that wait for a person', async () => {
  const { page, context, heard } = await visit(browser, at('batches'));
  await page.getByText('There is no batch yet.').waitFor();
  const body = readFileSync(projectFile('examples/tickets.csv'));
  const submitted = await dev.client.submitFile(
    { type: 'text/csv', body: new Uint8Array(body) },
    { agent: 'triage', budgetUsd: 3 },
  );
  batchId = submitted.id;
  await page.getByRole('link', { name: batchId }).click();
  await page.getByText('55 of 60 rows ended').waitFor();
  await page.getByText('awaiting approval 5').waitFor();
  await page.getByText('once the approvals are decided').waitFor();
  expect(await many(page, '.histogram rect')).toBeGreaterThan(3);
  expect(heard).toEqual([]);
  await context.close();
});

it('opens the dearest job and reads its ledger to the last micro-dollar', async () => {
  const { page, context, heard } = await visit(browser, at(`batches/${batchId}`));
  const dearest = page.locator('section[aria-labelledby="dearest"] tbody a').first();
  await dearest.click();
  await page.getByRole('heading', { name: 'Ledger' }).waitFor();
  const id = new URL(page.url()).pathname.split('/').pop() ?? '';
  const [job, { items }] = await Promise.all([dev.client.job(id), dev.client.steps(id)]);
  const lines = page.locator('.ledger tbody tr');
  expect(await lines.count()).toBe(items.length);
  const last = lines.last().locator('td');
  expect(await last.nth(0).textContent()).toBe(`$${items.at(-1)?.model.reservedUsd.toFixed(6)}`);
  expect(await last.nth(3).textContent()).toBe(`$${job.cost.spentUsd.toFixed(6)}`);
  expect(await many(page, '.waterfall tbody tr')).toBe(items.length);
  const call = page.locator('details.call').first();
  await call.locator('summary').click();
  expect(await call.locator('pre').first().isVisible()).toBe(true);
  await page.goBack();
  await page.getByText('Dearest rows').waitFor();
  expect(heard).toEqual([]);
  await context.close();
});

it('asks about a call whose card is not open with the words of its ticket, at the first press', async () => {
  const { page, context, heard } = await visit(browser, at('approvals'));
  const card = page.locator('.ask').nth(2);
  await card.getByText('Asked:').waitFor();
  await page.locator('.ask[aria-current] details[open]').waitFor();
  await card.getByRole('button', { name: 'Approve' }).click();
  const asked = (await card.locator('pre').textContent()) ?? '';
  expect(asked).toContain('subject:');
  expect(await page.getByRole('dialog').locator('pre').textContent()).toBe(asked.slice(0, 400));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(heard).toEqual([]);
  await context.close();
});

it('approves one refund with the mouse and one with nothing but the keyboard, and denies one', async () => {
  const { page, context, heard } = await visit(browser, at(''));
  const sent: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.postDataJSON());
  });
  await heading(page).filter({ hasText: '5 wait for you' }).waitFor();
  await page.keyboard.type('ga');
  await heading(page).filter({ hasText: '5 calls wait for you' }).waitFor();
  const cards = page.locator('.ask');
  await cards.first().getByRole('button', { name: 'Approve' }).click();
  await inDialog(page, 'Approve').click();
  await cards.first().getByText('Approved.').waitFor();

  // The next one is chosen by itself; the one after that by its key.
  await page.locator('.ask[aria-current]:nth-child(2)').waitFor();
  await page.keyboard.press('j');
  await page.locator('.ask[aria-current]:nth-child(3)').waitFor();
  await page.keyboard.press('a');
  // Alone, Enter decides nothing: it belongs to the reason.
  await page.keyboard.press('Enter');
  await page.keyboard.type('Seen, and right.');
  await page.getByRole('dialog').getByText('Ctrl Enter approve').waitFor();
  await page.keyboard.press('Control+Enter');
  await cards.nth(2).getByText('Approved.').waitFor();

  await page.locator('.ask[aria-current]:nth-child(4)').waitFor();
  await page.keyboard.press('d');
  await page.keyboard.type('We have not got the parcel back.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await cards.nth(3).getByText('Denied.').waitFor();
  await heading(page).filter({ hasText: '2 calls wait for you' }).waitFor();

  const { items } = await dev.client.jobs({ batch: batchId, limit: 200 });
  const decided = items.flatMap(({ approvals }) => approvals.map(({ status }) => status));
  expect(decided.filter((status) => status === 'pending')).toHaveLength(2);
  // Each decision is bound to the arguments that were on screen.
  const inputHash = expect.stringMatching(/^.+$/);
  expect(sent).toEqual([
    { decision: 'approve', inputHash },
    { decision: 'approve', inputHash, reason: 'Seen, and right.' },
    { decision: 'deny', inputHash, reason: 'We have not got the parcel back.' },
  ]);
  expect(heard).toEqual([]);
  await context.close();
});

it('says in a sentence that somebody else was faster', async () => {
  const { page, context } = await visit(browser, at('approvals'));
  await page.locator('.ask').first().getByRole('button', { name: 'Approve' }).click();
  const [waiting] = (await dev.client.approvals()).items;
  if (waiting === undefined) throw new Error('nothing waits');
  await dev.client.decide(waiting.jobId, waiting.callId, { decision: 'deny' });
  await inDialog(page, 'Approve').click();
  await page
    .locator('.ask')
    .first()
    .getByText(/Nothing was decided: .*decided otherwise/)
    .waitFor();
  await context.close();
});

it('pauses the batch and lets it go on, and says what it will not do', async () => {
  const { page, context, heard } = await visit(browser, at(`batches/${batchId}`));
  await button(page, 'Pause').click();
  await button(page, 'Resume').waitFor();
  expect((await dev.client.batch(batchId)).status).toBe('paused');
  await button(page, 'Resume').click();
  await button(page, 'Pause').waitFor();
  expect((await dev.client.batch(batchId)).status).toBe('running');
  await button(page, 'Extend the pool').click();
  await page.getByLabel('US dollars to add').fill('much');
  await inDialog(page, 'Extend').click();
  await page.getByText('is not a number').waitFor();
  await page.getByLabel('US dollars to add').fill('0.5');
  await inDialog(page, 'Extend').click();
  await page.getByText('of $3.5000').waitFor();
  expect(heard).toEqual([]);
  await context.close();
});

it('cancels a job that waits, once it was asked whether it should', async () => {
  const [waiting] = (await dev.client.approvals()).items;
  const { page, context, heard } = await visit(browser, at(`jobs/${waiting?.jobId}`));
  await button(page, 'Cancel').click();
  await inDialog(page, 'Not now').click();
  expect((await dev.client.job(waiting?.jobId ?? '')).status).toBe('awaiting_approval');
  await button(page, 'Cancel').click();
  await inDialog(page, 'Cancel the job').click();
  await page.locator('.facts .status.cancelled').waitFor();
  expect((await dev.client.job(waiting?.jobId ?? '')).status).toBe('cancelled');
  expect(heard).toEqual([]);
  await context.close();
});

it.each([
  ['Export JSONL', 'jsonl', 60],
  ['Export CSV', 'csv', 61],
])('takes the results home by %s', async (name, ending, lines) => {
  const { page, context, heard } = await visit(browser, at(`batches/${batchId}`));
  await page.getByText('60 of 60 rows ended').waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
  expect(download.suggestedFilename()).toBe(`${batchId}.${ending}`);
  const text = readFileSync((await download.path()) ?? '', 'utf8');
  const records =
    ending === 'csv'
      ? text
          .split('\r\n')
          .join('\n')
          .match(/^"?T-0\d\d|^id,/gm)
      : text.trim().split('\n');
  expect(records).toHaveLength(lines);
  expect(heard).toEqual([]);
  await context.close();
});

it('follows a link to a filtered list and to a step in a fresh browser, and the back button', async () => {
  const { page, context, heard } = await visit(browser, at('jobs?status=succeeded&agent=triage'));
  await page.locator('.jobs tbody tr').first().waitFor();
  expect(await page.getByLabel('Status').inputValue()).toBe('succeeded');
  expect(await page.locator('.jobs .status:not(.succeeded, .review)').count()).toBe(0);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Ledger' }).waitFor();
  const job = page.url();
  await page.goBack();
  await page.locator('.jobs tbody tr').first().waitFor();
  expect(page.url()).toContain('status=succeeded');
  await page.goto(`${job}#step-1`);
  await page.locator('li.target#step-1').waitFor();
  expect(heard).toEqual([]);
  await context.close();
});

it('says that the connection is lost, keeps what it knew, and goes on once it is back', async () => {
  const { page, context } = await visit(browser, at(`batches/${batchId}`));
  await page.getByText('60 of 60 rows ended').waitFor();
  await page.route('**/batches/**', (route) => route.abort());
  await page.route('**/approvals**', (route) => route.abort());
  await page.getByText('Connection lost.').waitFor();
  expect(await page.getByText('60 of 60 rows ended').isVisible()).toBe(true);
  await page.unrouteAll();
  await page.getByText('Connection lost.').waitFor({ state: 'detached', timeout: 60_000 });
  await context.close();
});

it('stops everything with the switch, asks first, and starts it again', async () => {
  const { page, context, heard } = await visit(browser, at('health'));
  await button(page, 'Stop this tenant').click();
  await inDialog(page, 'Stop').click();
  await heading(page).filter({ hasText: 'Everything is stopped' }).waitFor();
  await button(page, 'Start this tenant').click();
  await inDialog(page, 'Start').click();
  await heading(page).filter({ hasText: 'All is well' }).waitFor();
  expect(heard).toEqual([]);
  await context.close();
});
