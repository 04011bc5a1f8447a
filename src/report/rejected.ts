import { bounds } from './bounds.ts';
import type { RejectedEntry } from './entry.ts';
import { count } from './figures.ts';
import { type Markup, markup } from './markup.ts';

/** The rows that could not be read as a ticket; what they said is not repeated. */
export function rejectedSection(many: number, rows: readonly RejectedEntry[]): Markup {
  if (many === 0) return markup``;
  const all = `All ${count(many)}`;
  return markup`<section aria-labelledby="rejected"><h2 id="rejected">Rejected rows</h2>
<p class="soft">They are in rejected.jsonl, in a form that can be mended and read again.</p>
<table class="lines"><thead><tr><th scope="col" class="number">Line</th><th scope="col">Reason</th></tr></thead><tbody>
${rows.map(({ line, reason }) => markup`<tr><td class="number">${count(line)}</td><td><bdi>${reason}</bdi></td></tr>`)}
</tbody></table>${many > bounds.listed ? markup`<p class="soft">The first ${count(rows.length)} are listed. ${all} are in rejected.jsonl.</p>` : ''}</section>`;
}
