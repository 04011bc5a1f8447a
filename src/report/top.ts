import type { Card } from './card.ts';
import { count, seconds } from './figures.ts';
import { type Markup, markup } from './markup.ts';
import { link } from './parts.ts';

/** The rows that took longest and that cost most. */
export function topSection(
  slowest: readonly Card[],
  dearest: readonly Card[],
  money: (usd: number) => string,
): Markup {
  if (dearest.length === 0) return markup``;
  return markup`<section aria-labelledby="top"><h2 id="top">Slowest and dearest</h2><div class="sides">
${table('Longest from start to end', 'Time', slowest, (card) => seconds(card.elapsedMs ?? 0))}
${table('Most expensive', 'Cost', dearest, (card) => money(card.cost.spentUsd))}
</div></section>`;
}

function table(
  caption: string,
  measure: string,
  cards: readonly Card[],
  figure: (card: Card) => string,
): Markup {
  return markup`<table class="lines"><caption>${caption}</caption><thead><tr><th scope="col">Ticket</th>
<th scope="col" class="number">Steps</th><th scope="col" class="number">${measure}</th></tr></thead><tbody>
${cards.map(
  (card) =>
    markup`<tr><th scope="row">${link(card)}</th><td class="number">${count(card.steps)}</td><td class="number">${figure(card)}</td></tr>`,
)}</tbody></table>`;
}
