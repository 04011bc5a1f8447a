import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, violations } from '../support/chromium.ts';
import { newFolder, projectFile, start } from './processes.ts';

async function reportOf(file: string, code: number): Promise<string> {
  const out = newFolder();
  const finished = await start(['triage', file, '--out', out, '--json']).finished;
  expect({ code: finished.code, stderr: finished.code === code ? '' : finished.stderr }).toEqual({
    code,
    stderr: '',
  });
  return join(out, 'report.html');
}

/** Markup, marks that turn the direction of writing, words without an end, scripts without spaces. */
function hostileFile(): string {
  const rows = [
    [
      '<script>document.title="run"</script>',
      '<img src=x onerror=alert(1)>',
      '</pre></details></table><script>alert(1)</script>',
    ],
    ['X-2', 'refund \u202e00.21 lleh', '\u202eevil\u2066 please'],
    ['X-3', 'W'.repeat(10_000), 'w'.repeat(10_000)],
    ['X-4', '👩‍👩‍👧‍👦'.repeat(60), '🧨'.repeat(500)],
    ['X-5', 'ฉันต้องการคืนเงินสำหรับคำสั่งซื้อ'.repeat(9), 'สินค้าแตก'.repeat(300)],
    ['X-6', 'أين طلبي ORD-1001', 'أين الطرد؟ ORD-1001'],
    [
      'X-7',
      '"><svg onload=alert(1)>',
      'javascript:alert(1) {{7*7}} &lt;b&gt; <!-- --><style>*{display:none}</style>',
    ],
    ['X-7', 'the same id', 'other content, which is rejected'],
    ['X'.repeat(200), 'only a subject', ''],
    [
      'X-9',
      'Refund \u202e',
      'The wall clock of order ORD-1006 never arrived. Please refund the full amount to my card.',
    ],
  ];
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const path = join(newFolder(), 'hostile.csv');
  writeFileSync(path, ['id,subject,description', ...rows.map((row) => row.map(cell).join(','))].join('\n'));
  return path;
}

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: chromiumPath() });
});
afterAll(() => browser?.close());

const widths = [1440, 390] as const;
const schemes = ['light', 'dark'] as const;
const runs = [
  { name: 'the shipped tickets', file: () => projectFile('examples/tickets.csv'), tickets: 60, code: 0 },
  { name: 'hostile tickets', file: hostileFile, tickets: 9, code: 3 },
];

describe.each(runs)('the report of $name', ({ file, tickets, code }) => {
  let path = '';
  beforeAll(async () => {
    path = await reportOf(file(), code);
  });

  /** The page, with everything that it asked for or complained of. */
  async function open(
    options: Parameters<Browser['newContext']>[0] & { readonly width: number },
  ): Promise<{ page: Page; context: BrowserContext; heard: string[] }> {
    const { width, ...others } = options;
    const viewport = { width, height: 900 };
    const context = await browser.newContext({ ...others, viewport, offline: true });
    const page = await context.newPage();
    const heard: string[] = [];
    page.on('request', (request) => {
      if (!/^(file|data):/.test(request.url())) heard.push(`request ${request.url()}`);
    });
    page.on('console', (message) => heard.push(`console ${message.text()}`));
    page.on('pageerror', (error) => heard.push(`error ${error.message}`));
    page.on('dialog', (dialog) => heard.push(`dialog ${dialog.message()}`));
    await page.goto(pathToFileURL(path).href);
    return { page, context, heard };
  }

  it.each(widths)(
    'opens every trace at %d px, without a script, a request or a scroll aside',
    async (width) => {
      const { page, context, heard } = await open({ width, javaScriptEnabled: false });
      const summaries = page.locator('summary');
      expect(await summaries.count()).toBe(tickets);
      for (const summary of await summaries.all()) await summary.click();
      expect(await page.locator('details[open] > .detail:visible').count()).toBe(tickets);
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        const [content, window] = await Promise.all([
          page.evaluate('document.documentElement.scrollWidth'),
          page.evaluate('document.documentElement.clientWidth'),
        ]);
        expect(content).toBe(window);
      }
      expect(heard).toEqual([]);
      await context.close();
    },
  );

  it.each(widths)('can be read by everybody at %d px, light and dark', async (width) => {
    const { page, context, heard } = await open({ width });
    await page.locator('summary').first().click();
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page, colorScheme === 'light' ? 'all' : 'color'), colorScheme).toEqual([]);
    }
    expect(await page.title()).toMatch(/^Triage of \d+ tickets$/);
    expect(heard).toEqual([]);
    await context.close();
  });

  it('leads from what needs a person to the ticket', async () => {
    const { page, context } = await open({ width: 1440 });
    await page.locator('.asks a').first().click();
    expect(await page.locator('tbody:target').isVisible()).toBe(true);
    await context.close();
  });

  it('prints the traces that are open, and no others', async () => {
    const { page, context } = await open({ width: 720 });
    await page.locator('summary').first().click();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('details:visible').count()).toBe(1);
    expect(await page.locator('.detail:visible').count()).toBe(1);
    await context.close();
  });
});
