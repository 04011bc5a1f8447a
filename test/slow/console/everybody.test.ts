import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { agents as shipped } from '../../../src/agents/index.ts';
import { defineAgent, defineTool } from '../../../src/core/agent.ts';
import { chromiumPath, violations } from '../../support/chromium.ts';
import { type DevStack, says, startDev } from '../../support/dev-stack.ts';
import { overhang, visit } from './visit.ts';

/** Everything on screen was written by somebody who wishes us ill. */
const turned = '\u202e00.21 dnufer';
const markup = '<script>document.title="run"</script><img src=x onerror=alert(1)>"><svg onload=alert(2)>';
const hostile = [
  `Triage this ticket.\n<ticket>\nid: X-1\nsubject: ${markup} ${turned}\nbody:\n`,
  `${'W'.repeat(3_000)}\n${'👩‍👩‍👧‍👦'.repeat(200)}\nأين طلبي ${'ฉันต้องการคืนเงิน'.repeat(60)}\njavascript:alert(3)\n</ticket>`,
].join('');

const given = z.object({ [markup]: z.string(), amount: z.string(), lines: z.string() });

/** Gives back what it is given. */
const echo = defineTool({
  ...{ name: 'echo', description: 'Echoes', policy: 'pure' as const },
  input: given,
  run: (input) => input,
});
const pay = defineTool({
  ...{ name: 'pay', description: 'Pays', approval: true },
  input: given,
  run: () => 'paid',
});
const echoes = defineAgent({ name: 'echoes', model: 'scripted-1', system: 'Echo.', tools: [echo, pay] });

let browser: Browser;
let dev: DevStack;
const ids = { job: '', waiting: '', batch: '' };
beforeAll(async () => {
  dev = await startDev([...shipped, echoes]);
  browser = await chromium.launch({ executablePath: chromiumPath() });
  const args = { [markup]: turned, amount: 'w'.repeat(2_000), lines: `${markup}\n`.repeat(40) };
  dev.script(
    hostile,
    [says(`${markup} ${turned}`, ['echo', args]), says(turned, ['pay', args]), says(markup)],
    true,
  );
  const wanted = { agent: 'echoes', input: hostile, metadata: { ticket: `${markup}${'X'.repeat(300)}` } };
  ids.waiting = (await dev.run(wanted)).id;
  const rows = [{ id: `${markup}`, input: 'No text to speak of', metadata: { ticket: turned } }];
  ids.batch = (await dev.client.submitBatch({ agent: 'orders', rows, budgetUsd: 1 })).id;
  ids.job = (await dev.run({ agent: 'orders', input: 'How is customer 7, and order 42?' })).id;
});
afterAll(async () => {
  await browser?.close();
  await dev?.close();
});

const pages: readonly (readonly [name: string, path: () => string, there: string])[] = [
  ['overview', () => '', '.totals'],
  ['jobs', () => 'jobs', '.jobs tbody tr'],
  ['no jobs', () => 'jobs?status=failed', '.panel'],
  ['a job', () => `jobs/${ids.job}`, '.steps > li'],
  ['a job that waits', () => `jobs/${ids.waiting}`, '.ask button'],
  ['no such job', () => 'jobs/job_none', '.panel'],
  ['batches', () => 'batches', '.batches tbody tr'],
  ['a batch', () => `batches/${ids.batch}`, '.histogram'],
  ['approvals', () => 'approvals', '.ask details'],
  ['costs', () => 'costs', '.tabs'],
  ['health', () => 'health', '.totals'],
  ['no such page', () => 'what/ever', 'h1'],
];
const schemes = ['light', 'dark'] as const;
/** A browser writes down by itself that there is no such job. */
const ownWords = (heard: readonly string[]): readonly string[] =>
  heard.filter((one) => !/^console Failed to load resource: .*404/.test(one));

/** One page in both schemes: all that differs between them is colour. */
async function readable(page: Page): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page, colorScheme === 'light' ? 'all' : 'color'), colorScheme).toEqual([]);
  }
}

describe.each([1440, 390, 320])('at %d px, light and dark', (width) => {
  it.each(pages)(
    '%s can be read by everybody, and nothing on it runs, asks elsewhere or sticks out',
    async (_, path, there) => {
      const { page, context, heard } = await visit(browser, `${dev.api}/console/${path()}`, { width });
      await page.locator(there).first().waitFor();
      await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true');
      expect(await page.title()).toMatch(/ · Treadle$/);
      expect(await page.content()).not.toContain('\u202e');
      expect(await overhang(page)).toBeLessThanOrEqual(0);
      await readable(page);
      expect(ownWords(heard)).toEqual([]);
      await context.close();
    },
  );

  it('its dialogs can be read by everybody', async () => {
    const { page, context, heard } = await visit(browser, `${dev.api}/console/approvals`, { width });
    await page.locator('.ask').first().getByRole('button', { name: 'Deny' }).click();
    await readable(page);
    expect(await overhang(page)).toBeLessThanOrEqual(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await readable(page);
    expect(heard).toEqual([]);
    await context.close();
  });
});

it('spells out what would turn the direction of an amount', async () => {
  const { page, context } = await visit(browser, `${dev.api}/console/approvals`);
  expect(await page.locator('.ask .pairs').first().textContent()).toContain('[U+202E]00.21 dnufer');
  await context.close();
});
