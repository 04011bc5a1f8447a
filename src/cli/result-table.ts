import { isObject } from '../core/content.ts';
import { needOf } from '../tickets/need.ts';
import type { ResultRow } from '../tickets/results.ts';
import { usd } from '../tickets/summary.ts';
import { type FitColumn, fitTable } from './ask/fit-table.ts';
import type { Terminal } from './terminal.ts';

function fromOutput(name: string): (row: ResultRow) => string {
  return ({ output }) => {
    const value = isObject(output) ? output[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
}

const columns: readonly FitColumn<ResultRow>[] = [
  { title: 'ticket', most: 20, least: 8, cell: ({ id }) => id },
  { title: 'category', most: 18, least: 8, spare: 2, cell: fromOutput('category') },
  { title: 'priority', most: 8, least: 8, spare: 3, cell: fromOutput('priority') },
  { title: 'route', most: 18, least: 8, spare: 4, cell: fromOutput('route_to') },
  { title: 'status', folds: true, cell: statusOf },
  { title: 'steps', spare: 5, right: true, cell: ({ steps }) => String(steps) },
  { title: 'cost', right: true, cell: ({ cost }) => usd(cost.spentUsd) },
];

function statusOf(row: ResultRow): string {
  const reason = row.stop === null || row.stop.reason === 'completed' ? '' : `: ${row.stop.reason}`;
  return `${row.status.replaceAll('_', ' ')}${reason}${needOf(row) === 'review' ? ', to check' : ''}`;
}

/** The results as a table. */
export function resultTable(rows: readonly ResultRow[], terminal: Pick<Terminal, 'width' | 'color'>): string {
  const table = fitTable(columns, rows, terminal);
  return `${table.header}${table.lines(rows)}`;
}
