import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../../src/api/app.ts';
import { apiFiles } from '../../../src/api-files.ts';
import { reconcile } from '../../../src/app/reconcile.ts';
import { submit } from '../../../src/app/submit.ts';
import { type ApiServer, identifyLocally, startApiServer } from '../../../src/local/api-server.ts';
import { withConsole } from '../../../src/local/console-site.ts';
import { fieldAgents, newEffects } from '../../field/agents.ts';
import { aJob, NOW } from '../../support/a-job.ts';
import { chromiumPath, violations } from '../../support/chromium.ts';
import { runUntilIdle } from '../../support/drive.ts';
import { textReply, toolReply } from '../../support/fake-model.ts';
import { memoryWorld, type TestWorld } from '../../support/world.ts';
import { many, overhang, visit } from './visit.ts';

const JOBS = 100_000;
const STEPS = 300;

let browser: Browser;
let server: ApiServer;
let longJob = '';
beforeAll(async () => {
  const world = worldOfReplies();
  const made = await submit(world, { tenant: 'default', agent: 'field', input: 'Look everything up' });
  if (made.type !== 'created') throw new Error('there is no job');
  longJob = made.job.id;
  await runUntilIdle(world, {});
  // What ended is counted once it is due again.
  await world.clock.advance(120_000);
  await reconcile(world);
  await seed(world);
  const api = createApi({ world, identify: identifyLocally, files: apiFiles });
  server = await startApiServer({ api: withConsole(api), port: 0 });
  browser = await chromium.launch({ executablePath: chromiumPath() });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** A model that looks something up 299 times, and then is done. */
function worldOfReplies(): TestWorld {
  const replies = Array.from({ length: STEPS - 1 }, (_, at) =>
    toolReply(['search_kb', { query: `question ${at}` }]),
  );
  return memoryWorld({
    agents: fieldAgents(newEffects(), {
      limits: { maxSteps: 400, maxCostUsd: 100 },
      search: () => 'What the knowledge base says about it. '.repeat(60),
    }),
    model: { ask: async () => replies.shift() ?? textReply('Done.') },
  });
}

/** Straight into the store: every tenth was stopped, all others have ended well. */
async function seed({ store }: TestWorld): Promise<void> {
  for (let at = 0; at < JOBS; at += 1) {
    const createdAtMs = NOW + at;
    const stopped = at % 10 === 0;
    const job = aJob({
      ...{ id: `job_${at}`, agent: 'field', createdAtMs, updatedAtMs: createdAtMs, endedAtMs: createdAtMs },
      steps: at % 12,
      ledger: {
        ceiling: 1_000_000,
        settled: (at % 100) * 9_000,
        reserved: 0,
        unsettled: stopped ? 50_000 : 0,
      },
      status: {
        type: stopped ? 'stopped' : 'succeeded',
        stop: { reason: stopped ? 'max_steps' : 'completed', detail: '' },
      },
    });
    await store.createJob(job);
  }
}

const bottom = (page: Page) => page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
const elements = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.querySelectorAll("*").length'));

/** Megabytes that scripts hold once the garbage is gone. */
async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

describe(`a list of ${JOBS} jobs`, () => {
  it('shows its newest rows, loads more as one scrolls, and never holds more of them than a screen and some', async () => {
    const { page, context, heard } = await visit(browser, `${server.url}/console/jobs`);
    await page.getByText(`job_${JOBS - 1}`, { exact: true }).waitFor();
    const before = await heapMb(page);
    for (let loaded = 1; loaded <= 10; loaded += 1) {
      await page.getByText(`${(loaded * 200).toLocaleString('en')} loaded`).waitFor();
      await bottom(page);
      expect(await many(page, '.jobs tbody tr')).toBeLessThan(60);
    }
    await page.getByText(`job_${JOBS - 1990}`, { exact: true }).waitFor();
    expect(await elements(page)).toBeLessThan(1_500);
    // Some 2,000 rows more, of which the page keeps what a line shows.
    expect((await heapMb(page)) - before).toBeLessThan(10);
    await page.keyboard.press('j');
    await page.getByText(`job_${JOBS - 1}`, { exact: true }).waitFor();
    expect(heard).toEqual([]);
    await context.close();
  });

  it('finds the few that a filter wants, page after page', async () => {
    const { page, context, heard } = await visit(browser, `${server.url}/console/jobs?stop=max_steps`);
    await page.getByText(`job_${JOBS - 10}`, { exact: true }).waitFor();
    expect(await many(page, '.jobs .status:not(.stopped)')).toBe(0);
    expect(heard).toEqual([]);
    await context.close();
  });

  it('looks for a text among the newest 1,000, says so, and goes on as far as it is asked to', async () => {
    const wanted = `job_${JOBS - 1_500}`;
    const { page, context, heard } = await visit(browser, `${server.url}/console/jobs?find=${wanted}`);
    await page.getByText('0 found among 1,000 jobs').waitFor();
    await page.getByRole('link', { name: `Open ${wanted}` }).waitFor();
    await page.getByRole('button', { name: 'Search further back' }).click();
    await page.getByText('1 found among 2,000 jobs').waitFor();
    expect(await many(page, '.jobs tbody tr')).toBe(1);
    await page.getByLabel('Ticket, subject or id').fill('');
    await page.getByText('2,000 loaded').waitFor();
    await bottom(page);
    await page.getByText('2,200 loaded').waitFor();
    expect(heard).toEqual([]);
    await context.close();
  });
});

it.each(['light', 'dark'] as const)(
  'adds up what was spent, readable by everybody, %s',
  async (colorScheme) => {
    const { page, context, heard } = await visit(browser, `${server.url}/console/costs`, {
      width: 390,
      colorScheme,
    });
    await page.locator('.costs').getByText('field').waitFor();
    for (const by of ['tenant', 'day', 'agent']) {
      await page.getByRole('link', { name: `by ${by}` }).click();
      await page.locator('.costs tbody tr').first().waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await overhang(page)).toBeLessThanOrEqual(0);
    }
    expect(heard).toEqual([]);
    await context.close();
  },
);

describe(`a job of ${STEPS} steps`, () => {
  it('shows ledger, timeline and transcript with few of their lines in the document, and finds any step', async () => {
    const { page, context, heard } = await visit(browser, `${server.url}/console/jobs/${longJob}`);
    await page.getByText(`Step ${STEPS}`, { exact: true }).first().waitFor({ state: 'detached' });
    await page.locator('.ledger tbody tr').first().waitFor();
    for (const list of ['.ledger tbody tr', '.waterfall tbody tr', '.steps > li']) {
      expect(await many(page, list), list).toBeLessThan(50);
    }
    expect(await elements(page)).toBeLessThan(2_500);
    await page
      .locator('.scroll')
      .first()
      .evaluate((scrolled) => scrolled.scrollTo(0, scrolled.scrollHeight));
    await page.locator('.ledger').getByText(`Step ${STEPS}`, { exact: true }).click();
    await page.locator(`#step-${STEPS}.target`).waitFor();
    expect(await many(page, '.steps > li')).toBeLessThan(50);
    expect(heard).toEqual([]);
    await context.close();
  });
});
