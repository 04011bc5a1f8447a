import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chromiumPath } from '../../support/chromium.ts';
import { type DevStack, startDev } from '../../support/dev-stack.ts';
import { visit } from './visit.ts';

let browser: Browser;
let dev: DevStack;
const ids = { job: '', batch: '' };
beforeAll(async () => {
  dev = await startDev();
  browser = await chromium.launch({ executablePath: chromiumPath() });
  const rows = [{ id: 'r', input: 'How is order 42?' }];
  ids.batch = (await dev.client.submitBatch({ agent: 'orders', rows, budgetUsd: 1 })).id;
  ids.job = (await dev.run({ agent: 'orders', input: 'How is customer 7, and order 42?' })).id;
});
afterAll(async () => {
  await browser?.close();
  await dev?.close();
});

/** What the page asks of the API, and how many of its requests have no answer yet. */
function listen(page: Page): { readonly asked: Set<string>; readonly open: () => number } {
  const asked = new Set<string>();
  const open = new Set<unknown>();
  page.on('request', (request) => {
    if (request.resourceType() !== 'fetch') return;
    asked.add(new URL(request.url()).pathname);
    open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  return { asked, open: () => open.size };
}

/** As a browser tells a page that its tab is in front no more, or is again. */
async function turn(page: Page, visibility: 'hidden' | 'visible'): Promise<void> {
  const hidden = visibility === 'hidden';
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${visibility}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

/** A request of the page's own making: whatever it asked before has been seen once this one is. */
async function mark(page: Page): Promise<void> {
  const seen = page.waitForRequest(/\/openapi\.json/);
  await page.evaluate('fetch("/openapi.json").then((answer) => answer.text())');
  await seen;
}

type Path = () => string;
const pages: readonly (readonly [name: string, path: Path, asking: readonly Path[]])[] = [
  [
    'the overview',
    () => '',
    ['/jobs', '/approvals', '/batches', '/health', '/costs'].map((asked) => () => asked),
  ],
  ['the list of jobs', () => 'jobs', [() => '/jobs']],
  ['a job', () => `jobs/${ids.job}`, [() => `/jobs/${ids.job}`]],
  ['a batch', () => `batches/${ids.batch}`, [() => `/batches/${ids.batch}`]],
  ['the approvals', () => 'approvals', [() => '/approvals']],
  ['the costs', () => 'costs', [() => '/costs']],
  ['the health', () => 'health', [() => '/health']],
];

it.each(pages)(
  'asks for nothing while %s is out of sight, and at once when it is seen again',
  async (_, path, asking) => {
    const wanted = asking.map((one) => one());
    const { page, context, heard } = await visit(browser, `${dev.api}/console/${path()}`);
    await page.clock.install();
    const { asked, open } = listen(page);
    const hears = async (): Promise<void> => {
      await expect.poll(() => [...asked], { timeout: 20_000 }).toEqual(expect.arrayContaining(wanted));
      await expect.poll(open, { timeout: 20_000 }).toBe(0);
    };
    await page.reload();
    await hears();

    asked.clear();
    await page.clock.fastForward(15_000);
    await hears();

    await turn(page, 'hidden');
    await mark(page);
    await expect.poll(open, { timeout: 20_000 }).toBe(0);
    asked.clear();
    // From here on the timers of the page go only where the test moves them.
    await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 15_000);
    await page.clock.runFor(600_000);
    await mark(page);
    expect([...asked]).toEqual(['/openapi.json']);

    asked.clear();
    await turn(page, 'visible');
    await hears();
    expect(heard).toEqual([]);
    await context.close();
  },
);
