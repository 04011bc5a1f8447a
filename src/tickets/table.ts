import stringWidth from 'string-width';
import { needOf, peopleText } from './need.ts';
import { oneLine, padded } from './padded.ts';
import type { ResultRow } from './results.ts';
import { type Beside, type Summary, usd } from './summary.ts';

export interface TableStyle {
  /** Columns of the terminal. */
  readonly width: number;
  /** Whether colours, and so control codes, are written. */
  readonly color: boolean;
}

interface Column {
  readonly title: string;
  readonly most: number;
  readonly right?: boolean;
  readonly cell: (row: ResultRow) => string;
}

function fromOutput(name: string): (row: ResultRow) => string {
  return ({ output }) => {
    const value =
      typeof output === 'object' && output !== null ? (output as Record<string, unknown>)[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
}

const columns: readonly Column[] = [
  { title: 'ticket', most: 20, cell: (row) => row.id },
  { title: 'category', most: 18, cell: fromOutput('category') },
  { title: 'priority', most: 8, cell: fromOutput('priority') },
  { title: 'route', most: 18, cell: fromOutput('route_to') },
  { title: 'status', most: 34, cell: statusOf },
  { title: 'steps', most: 5, right: true, cell: (row) => String(row.steps) },
  { title: 'cost', most: 9, right: true, cell: (row) => usd(row.cost.spentUsd) },
];

function statusOf(row: ResultRow): string {
  const reason = row.stop === null || row.stop.reason === 'completed' ? '' : `: ${row.stop.reason}`;
  return `${row.status.replaceAll('_', ' ')}${reason}${needOf(row) === 'review' ? ', to check' : ''}`;
}

/** No column is cut to less than this, however narrow the terminal. */
const LEAST = 8;

/** Column widths that fit the terminal: what is too much is taken from the widest columns, step by step. */
function widthsFor(rows: readonly ResultRow[], width: number): readonly number[] {
  const widths = columns.map((column) =>
    rows.reduce(
      (widest, row) => Math.min(column.most, Math.max(widest, stringWidth(oneLine(column.cell(row))))),
      column.title.length,
    ),
  );
  const gaps = 2 * (columns.length - 1);
  let over = widths.reduce((sum, one) => sum + one, gaps) - width;
  for (; over > 0; over -= 1) {
    const widest = Math.max(...widths);
    if (widest <= LEAST) break;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  return widths;
}

/** The results as a table, one line a ticket. */
export function resultTable(rows: readonly ResultRow[], style: TableStyle): string {
  const widths = widthsFor(rows, style.width);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => padded(cell, widths[at] ?? 0, columns[at]?.right === true))
      .join('  ')
      .trimEnd();
  const header = line(columns.map((column) => column.title));
  const bold = style.color ? `\u001b[1m${header}\u001b[0m` : header;
  return `${[bold, ...rows.map((row) => line(columns.map((column) => column.cell(row))))].join('\n')}\n`;
}

/** The totals of a run: tickets, how the jobs ended, what is left for people, tokens by kind and money. */
export function totalsText(summary: Summary, { people, sameAsAnother }: Beside): string {
  const { jobs, usage, cost, stopReasons } = summary;
  const reasons = Object.entries(stopReasons).map(([reason, count]) => `${reason} ${count}`);
  const waiting = jobs.awaitingApproval === 0 ? [] : [`waiting for approval ${jobs.awaitingApproval}`];
  const left = jobs.notStarted === 0 ? [] : [`not started ${jobs.notStarted}`];
  const empty = people.withoutText === 0 ? '' : ` (${people.withoutText} without text)`;
  const ended = [`succeeded ${jobs.succeeded}${empty}`, ...reasons, ...waiting, ...left].join(', ');
  const unsettled = cost.unsettledUsd === 0 ? '' : ` (${usd(cost.unsettledUsd)} of it unsettled)`;
  return [
    `tickets  ${summary.read} read = ${summary.accepted} accepted + ${summary.rejected} rejected + ${summary.skipped} skipped + ${summary.duplicates} duplicates`,
    ...sameText(sameAsAnother),
    `jobs     ${ended}`,
    `people   ${peopleText(people)}`,
    `tokens   ${usage.inputTokens} in, ${usage.outputTokens} out, ${usage.cacheWriteTokens} written to the cache, ${usage.cacheReadTokens} read from it`,
    `cost     ${usd(cost.spentUsd)}${unsettled} of ${usd(cost.budgetUsd)}, ${usd(cost.savedByCacheUsd)} saved by the cache`,
    `calls    ${summary.modelCalls} model ${summary.modelCalls === 1 ? 'call' : 'calls'} in this run`,
    '',
  ].join('\n');
}

function sameText(count: number): readonly string[] {
  if (count === 0) return [];
  const say = count === 1 ? 'ticket says' : 'tickets say';
  return [`same     ${count} ${say} the same as another: duplicateOf in the results names it`];
}
