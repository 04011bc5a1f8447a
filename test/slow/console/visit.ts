import type { Browser, BrowserContext, Page } from 'playwright-core';

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What no page may do: complain, open a dialog, ask another server, break its policy. */
  readonly heard: readonly string[];
}

export interface View {
  /** @default 1440 */
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** How wrong the clock of the browser is. @default 0 */
  readonly aheadMs?: number;
}

/** A browser of its own on a page of the console. */
export async function visit(browser: Browser, address: string, view: View = {}): Promise<Visit> {
  const { width = 1440, colorScheme = 'light', aheadMs = 0 } = view;
  const context = await browser.newContext({
    ...{ viewport: { width, height: 900 }, colorScheme, acceptDownloads: true },
  });
  if (aheadMs !== 0) await context.clock.install({ time: Date.now() + aheadMs });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const heard: string[] = [];
  const { origin } = new URL(address);
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) heard.push(`request ${url}`);
  });
  page.on('console', (message) => heard.push(`console ${message.text()}`));
  page.on('pageerror', (error) => heard.push(`error ${error.message}`));
  page.on('dialog', (dialog) => heard.push(`dialog ${dialog.message()}`));
  await page.goto(address);
  return { page, context, heard };
}

/** How much wider the page is than its window. */
export async function overhang(page: Page): Promise<number> {
  const widths = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  return Number(await page.evaluate(widths));
}

/** Elements of the page that a selector finds. */
export const many = (page: Page, selector: string): Promise<number> => page.locator(selector).count();
