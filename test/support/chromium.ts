import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The Chromium that the variable CHROMIUM names, or else the one on the path. */
export function chromiumPath(): string {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'chromium'));
  const named = process.env['CHROMIUM'];
  const found = (named === undefined ? onPath : [named]).find((path) => existsSync(path));
  if (found === undefined) throw new Error('these tests need Chromium: install it, or name it in CHROMIUM');
  return found;
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe finds that shuts people out, and where; of colour alone where the same page was looked at whole in another scheme. */
export async function violations(page: Page, about: 'all' | 'color' = 'all'): Promise<readonly string[]> {
  await page.evaluate(axe);
  const rules = about === 'all' ? '' : "{ runOnly: ['color-contrast', 'link-in-text-block'] }";
  const found = (await page.evaluate(`axe.run(${rules})`)) as { readonly violations: readonly Violation[] };
  return found.violations.map(
    ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html.slice(0, 200))}`,
  );
}
