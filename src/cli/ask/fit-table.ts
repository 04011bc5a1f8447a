import stringWidth from 'string-width';
import { oneLine, padded } from '../../tickets/padded.ts';
import type { Terminal } from '../terminal.ts';
import { painted, type Tone } from './shown.ts';
import { folded } from './wrapped.ts';

export interface FitColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Wider cells are cut on a terminal. @default never */
  readonly most?: number;
  /** A narrow terminal cuts the column down to this. @default it is never cut */
  readonly least?: number;
  /** A still narrower terminal writes it in several lines, between words. */
  readonly folds?: boolean;
  /** What a still narrower terminal leaves out first: the highest; before anything folds but for 1. @default it always stays */
  readonly spare?: number;
  /** Says nothing that a figure does not say: it is left out before anything is cut. */
  readonly bar?: boolean;
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
  /** Down to this it may be made narrower. */
  readonly least: number;
  /** Its longest word. */
  readonly word: number;
  readonly empty: boolean;
}

/**
 * A table in the width of the terminal, whatever the script of its cells. The widths follow from `sample`; rows that come
 * later keep to them, but for cells that are never cut. In a pipe nothing is.
 */
export function fitTable<Row>(
  columns: readonly FitColumn<Row>[],
  sample: readonly Row[],
  { width, color }: Pick<Terminal, 'width' | 'color'>,
): FitTable<Row> {
  const cuts = width !== Number.POSITIVE_INFINITY;
  const kept = chosen(
    columns.map((column) => measured(column, sample, cuts)),
    width,
  );
  const header = kept.map(({ column, width: room }) => padded(column.title, room, column.right));
  return {
    header: `${painted(header.join(GAP).trimEnd(), 'strong', color)}\n`,
    lines: (rows) => rows.map((row) => rowText(row, kept, { cuts, color })).join(''),
  };
}

function measured<Row>(column: FitColumn<Row>, sample: readonly Row[], cuts: boolean): Fitted<Row> {
  const most = cuts ? (column.most ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  const cells = sample.map((row) => oneLine(column.cell(row)));
  const widest = (texts: readonly string[]): number =>
    texts.reduce((width, text) => Math.min(most, Math.max(width, stringWidth(text))), column.title.length);
  const width = widest(cells);
  const word = widest(cells.flatMap((cell) => cell.split(' ')));
  const empty = sample.length > 0 && cells.every((cell) => cell === '');
  return { column, width, least: column.least ?? width, word, empty };
}

const total = (widths: readonly { readonly width: number }[]): number =>
  widths.reduce((sum, { width }) => sum + width, GAP.length * (widths.length - 1));

/** Leaves bars out, then empty columns; then cuts, leaves more out and folds, until what is left fits. */
function chosen<Row>(wanted: readonly Fitted<Row>[], width: number): readonly Fitted<Row>[] {
  let left = wanted;
  const fits = (some: readonly Fitted<Row>[]): boolean => total(some) <= width;
  if (!fits(left)) left = left.filter(({ column }) => column.bar !== true);
  if (!fits(left)) left = left.filter(({ empty }) => !empty);
  for (;;) {
    const cut = narrowed(left, width);
    const spare = Math.max(0, ...left.map(({ column }) => column.spare ?? 0));
    const folds = left.map((one) => (one.column.folds === true ? { ...one, least: one.word } : one));
    const shown = fits(cut) || spare > 1 ? cut : narrowed(folds, width);
    if (fits(shown) || spare === 0) return shown;
    left = left.filter(({ column }) => column.spare !== spare);
  }
}

/** Takes from the widest columns that may be narrower, step by step. */
function narrowed<Row>(wanted: readonly Fitted<Row>[], width: number): readonly Fitted<Row>[] {
  const fitted = wanted.map((one) => ({ ...one }));
  for (let over = total(fitted) - width; over > 0; over -= 1) {
    const cuttable = fitted.filter((one) => one.width > one.least);
    const widest = Math.max(...cuttable.map((one) => one.width));
    const cut = cuttable.find((one) => one.width === widest);
    if (cut === undefined) break;
    cut.width -= 1;
  }
  return fitted;
}

interface Style {
  readonly cuts: boolean;
  readonly color: boolean;
}

function rowText<Row>(row: Row, kept: readonly Fitted<Row>[], { cuts, color }: Style): string {
  const cells = kept.map((one) => linesOf(row, one, cuts));
  const lines = Array.from({ length: Math.max(1, ...cells.map((cell) => cell.length)) }, (_, at) =>
    kept
      .map(({ column, width }, place) => {
        const text = cells[place]?.[at] ?? '';
        const shown = padded(text, Math.max(width, stringWidth(text)), column.right);
        return painted(shown, text === '' ? undefined : column.tone?.(row), color);
      })
      .join(GAP)
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** A cell in the lines it takes: only what may be cut is. */
function linesOf<Row>(row: Row, { column, width }: Fitted<Row>, cuts: boolean): readonly string[] {
  const text = oneLine(column.cell(row));
  if (!cuts) return [text];
  if (column.folds === true) {
    const word = Math.max(...text.split(' ').map((one) => stringWidth(one)));
    return folded(text, Math.max(width, word));
  }
  return [column.most === undefined && column.least === undefined ? text : padded(text, width).trimEnd()];
}
