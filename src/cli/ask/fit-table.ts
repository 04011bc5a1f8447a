import stringWidth from 'string-width';
import { oneLine, padded } from '../../tickets/padded.ts';
import type { Terminal } from '../terminal.ts';
import { painted, type Tone } from './shown.ts';

export interface FitColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Wider cells are cut. @default never */
  readonly most?: number;
  /** A narrow terminal cuts the column down to this. @default it is never cut */
  readonly least?: number;
  /** What a still narrower terminal leaves out first: the highest. @default it always stays */
  readonly spare?: number;
  readonly right?: boolean;
  readonly tone?: (row: Row) => Tone | undefined;
}

export interface FitTable<Row> {
  readonly header: string;
  readonly lines: (rows: readonly Row[]) => string;
}

const GAP = '  ';

interface Fitted<Row> {
  readonly column: FitColumn<Row>;
  readonly width: number;
}

/**
 * A table in the width of the terminal, whatever the script of its cells. The widths follow from `sample`; rows that come
 * later keep to them.
 */
export function fitTable<Row>(
  columns: readonly FitColumn<Row>[],
  sample: readonly Row[],
  { width, color }: Pick<Terminal, 'width' | 'color'>,
): FitTable<Row> {
  const fitted = narrowed(
    columns.map((column) => ({ column, width: natural(column, sample) })),
    width,
  );
  const header = fitted.map(({ column, width: columnWidth }) =>
    padded(column.title, columnWidth, column.right),
  );
  return {
    header: `${painted(header.join(GAP).trimEnd(), 'strong', color)}\n`,
    lines: (rows) => rows.map((row) => lineOf(row, fitted, color)).join(''),
  };
}

function natural<Row>({ title, cell, most = 1_000 }: FitColumn<Row>, sample: readonly Row[]): number {
  return sample.reduce(
    (widest, row) => Math.min(most, Math.max(widest, stringWidth(oneLine(cell(row))))),
    title.length,
  );
}

const total = (widths: readonly { readonly width: number }[]): number =>
  widths.reduce((sum, { width }) => sum + width, GAP.length * (widths.length - 1));

/** Cuts the widest columns that may be cut, step by step; where that is not enough, leaves columns out. */
function narrowed<Row>(wanted: readonly Fitted<Row>[], width: number): readonly Fitted<Row>[] {
  const fitted = wanted.map((one) => ({ ...one }));
  for (let over = total(fitted) - width; over > 0; over -= 1) {
    const cuttable = fitted.filter((one) => one.width > (one.column.least ?? one.width));
    const widest = Math.max(...cuttable.map((one) => one.width));
    const cut = cuttable.find((one) => one.width === widest);
    if (cut === undefined) break;
    cut.width -= 1;
  }
  const spare = Math.max(0, ...wanted.map(({ column }) => column.spare ?? 0));
  if (total(fitted) <= width || spare === 0) return fitted;
  return narrowed(
    wanted.filter(({ column }) => column.spare !== spare),
    width,
  );
}

function lineOf<Row>(row: Row, fitted: readonly Fitted<Row>[], color: boolean): string {
  const cells = fitted.map(({ column, width }) =>
    painted(padded(column.cell(row), width, column.right), column.tone?.(row), color),
  );
  return `${cells.join(GAP).trimEnd()}\n`;
}
