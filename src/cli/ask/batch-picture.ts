import type { Batch } from '../../client.ts';
import { usd } from '../../tickets/summary.ts';
import type { Terminal } from '../terminal.ts';
import { BAR, bar, shareOf } from './bars.ts';
import type { Picture } from './board.ts';
import { painted, span, toneOf, visible } from './shown.ts';

/** Rows that have ended, refused ones among them. */
export const endedRows = ({ counts }: Batch): number =>
  counts.succeeded + counts.stopped + counts.failed + counts.cancelled + counts.rejected;

const budgetOf = ({ cost }: Batch): string =>
  cost.budgetUsd === null ? 'without a pool' : `of ${usd(cost.budgetUsd)}`;

function moneyText(batch: Batch): string {
  const { spentUsd, reservedUsd, forecastUsd } = batch.cost;
  const held = reservedUsd > 0 ? `, ${usd(reservedUsd)} held` : '';
  const forecast = forecastUsd === null ? '' : `, forecast ${usd(forecastUsd)}`;
  return `${usd(spentUsd)} ${budgetOf(batch)}${held}${forecast}`;
}

const countsText = ({ counts }: Batch): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name.replaceAll('_', ' ')} ${count}`)
    .join(', ');

function linesOf(batch: Batch, status: string): readonly string[] {
  const { rows, cost } = batch;
  const ended = endedRows(batch);
  const money = cost.budgetUsd === null ? '' : `${bar(shareOf(cost.spentUsd, cost.budgetUsd), BAR)} `;
  return [
    `${visible(batch.id)}  ${visible(batch.agent)}  ${status}`,
    `rows   ${bar(shareOf(ended, rows), BAR)} ${ended} of ${rows} ended`,
    `money  ${money}${moneyText(batch)}`,
    `jobs   ${countsText(batch) || 'none yet'}`,
  ];
}

/** A batch under way. */
export function batchPicture(batch: Batch, nowMs: number): Picture {
  const { forecastFinishedAt } = batch;
  const left =
    forecastFinishedAt === null ? '' : `, about ${span(Date.parse(forecastFinishedAt) - nowMs)} left`;
  const [head = '', ...rest] = linesOf(batch, batch.status);
  return {
    lines: [head + left, ...rest],
    text: `${batch.id} ${batch.status}: ${endedRows(batch)} of ${batch.rows} rows ended, ${moneyText(batch)}`,
  };
}

/** A batch as it stands, for good. */
export function batchText(batch: Batch, { color }: Pick<Terminal, 'color'>): string {
  const lines = linesOf(batch, painted(batch.status, toneOf(batch.status), color));
  const stop = batch.stop === null ? [] : [`stop   ${visible(batch.stop.message)}`];
  return `${[...lines, ...stop].join('\n')}\n`;
}
