import stringWidth from 'string-width';
import { oneLine, padded } from '../tickets/padded.ts';

/**
 * Rows of cells under each other, whatever their script: the first column to the left, numbers to the right. No cell is
 * wider than `most` terminal columns.
 */
export function textTable(rows: readonly (readonly string[])[], most = 40): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    rows.reduce((widest, row) => Math.max(widest, Math.min(most, stringWidth(oneLine(row[at] ?? '')))), 0),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0, at > 0 && isNumeric(rows, at)))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

/** A column is one of numbers when all its cells below the header are. */
function isNumeric(rows: readonly (readonly string[])[], at: number): boolean {
  return rows.slice(1).every((row) => /^[-+<]?[$]?[\d.,%/– e+-]*$/.test(row[at] ?? ''));
}
