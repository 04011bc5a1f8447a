import type { Card } from './card.ts';
import type { FieldVolume } from './fields.ts';
import { count, seconds } from './figures.ts';
import { type Markup, markup } from './markup.ts';
import { oneLine } from './text.ts';

/** Characters of all columns of output fields together, beside which there is room for a subject. */
const FIELDS_WIDTH = 52;
const MOST_WIDTH = 16;
const CELL_CHARACTERS = 40;

interface Column extends FieldVolume {
  /** In characters. */
  readonly width: number;
}

export interface TicketTable {
  readonly head: () => Markup;
  readonly line: (card: Card, detail: Markup) => Markup;
  readonly foot: () => Markup;
}

/** The table of tickets, written line by line. The output fields that have a chart have a column, as far as there is room. */
export function ticketTable(volumes: readonly FieldVolume[], money: (usd: number) => string): TicketTable {
  const columns = columnsOf(volumes);
  return {
    head: () => markup`<table class="tickets"><thead><tr><th scope="col">Ticket</th>
${columns.map(({ title, width }) => markup`<th scope="col" class="field" style="width:${width * 0.5625 + 0.75}rem">${title}</th>`)}
<th scope="col" class="state">Status</th><th scope="col" class="number steps-taken">Steps</th><th scope="col" class="number time">Time</th>
<th scope="col" class="number cost">Cost</th><th scope="col" class="trace"><span class="unseen">Trace</span></th></tr></thead>
`,
    line: (card, detail) => {
      const values = columns.map((column) => valueIn(card, column));
      const brief = values.filter((value) => value !== '').join(' · ');
      return markup`<tbody id="t${card.ordinal}"><tr><th scope="row"><bdi>${card.id}</bdi> <bdi class="subject">${card.subject}</bdi>
<span class="brief soft"><bdi>${brief}</bdi>${statusOf(card)}</span></th>
${values.map((value) => markup`<td class="field"><bdi>${value}</bdi></td>`)}
<td class="state">${statusOf(card)}</td><td class="number steps-taken">${count(card.steps)}</td>
<td class="number time">${card.elapsedMs === undefined ? '–' : seconds(card.elapsedMs)}</td>
<td class="number cost">${money(card.cost.spentUsd)}</td><td class="trace"></td></tr>
<tr class="inside"><td colspan="${columns.length + 6}"><details><summary>Trace<span class="unseen"> of ${card.id}</span></summary>
${detail}</details></td></tr></tbody>
`;
    },
    foot: () => markup`</table>`,
  };
}

function columnsOf(volumes: readonly FieldVolume[]): readonly Column[] {
  let left = FIELDS_WIDTH;
  return volumes.flatMap((volume) => {
    const longest = Math.max(volume.title.length, ...volume.bars.map(({ label }) => label.length));
    const width = Math.min(MOST_WIDTH, longest);
    left -= width;
    return left < 0 ? [] : [{ ...volume, width }];
  });
}

function valueIn(card: Card, { name }: Column): string {
  return oneLine(card.answer.find((field) => field.name === name)?.text ?? '', CELL_CHARACTERS);
}

const names: Readonly<Record<string, string>> = {
  awaiting_approval: 'awaiting approval',
  not_started: 'not started',
};

function statusOf(card: Card): Markup {
  const name = names[card.status] ?? card.status;
  const kind = card.need === 'none' ? card.status : card.need;
  const reason = card.reason === null || card.reason === card.status ? '' : card.reason.replaceAll('_', ' ');
  const more = card.need === 'review' ? 'to check' : reason;
  return markup`<span class="status ${kind}">${name}${more !== '' && markup`<span class="reason"> · ${more}</span>`}</span>`;
}
