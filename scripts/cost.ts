import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { costNow, withText } from './cost/page.ts';

/** Counts what a million steps cost, shows it, and writes it into the page. */
const file = fileURLToPath(new URL('../docs/cost.md', import.meta.url));
const { text } = await costNow();
writeFileSync(file, withText(readFileSync(file, 'utf8'), text));
process.stdout.write(`${text}\n`);
