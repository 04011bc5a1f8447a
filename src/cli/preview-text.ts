import { cleanText } from '../core/safe-json.ts';
import { type Field, fieldNames } from '../tickets/columns.ts';
import { fitted } from '../tickets/padded.ts';
import { placeText, type RowPlace } from '../tickets/row.ts';
import type { FilePreview, Preview, PreviewRow } from './preview.ts';
import type { Terminal } from './terminal.ts';

const SHOWN_COLUMNS = 40;
/** Columns of the terminal that the word in front of a line takes. */
const LABEL = 9;
/** Lines of a ticket that are shown in front of what is left out and behind it. */
const HEAD = { first: 9, last: 2 };
const BODY = { first: 8, last: 4 };

type Screen = Pick<Terminal, 'width' | 'piped'>;

/** A preview for people. */
export function previewText(found: Preview, screen: Screen): string {
  const { files, tickets, warnings } = found;
  const { width } = screen;
  const counts = `${found.read} read = ${found.accepted} accepted + ${found.rejected} rejected + ${found.skipped} skipped + ${found.duplicates} duplicates`;
  return [
    ...files.flatMap((file) => fileLines(file, screen)),
    ...tickets.flatMap(({ text, ...place }) => [
      '',
      fitted(`${placeText(place)}, as the model will read it:`, width),
      ...cut(text, width),
    ]),
    '',
    `rows     ${counts}`,
    ...rowLines('rejected', found.rejections, found.rejected, width),
    ...rowLines('skipped', found.skippedRows, found.skipped, width),
    ...rowLines('duplicate', found.duplicateRows, found.duplicates, width),
    ...warnings.map((warning) => `warning  ${cleanText(warning)}`),
    'Nothing was sent and no money was spent: without --preview these tickets are triaged.',
    '',
  ].join('\n');
}

function rowLines(
  label: string,
  rows: readonly PreviewRow[],
  count: number,
  width: number,
): readonly string[] {
  const lines = rows.map((row) => fitted(`${label} ${placeText(withoutItem(row))}: ${row.reason}`, width));
  return count > rows.length ? [...lines, `${label} … and ${count - rows.length} more`] : lines;
}

/** The reason of a row says itself which of its line it is. */
const withoutItem = ({ file, line }: RowPlace): RowPlace => (file === undefined ? { line } : { line, file });

function fileLines(file: FilePreview, { width, piped = false }: Screen): readonly string[] {
  const { name, format, encoding, delimiter, shape, fields, along, codes } = file;
  const split = delimiter === null ? '' : `, ${delimiterName(delimiter)}`;
  // What goes into a file or another program is not cut: there is no screen that it would have to fit.
  const room = piped ? Number.MAX_SAFE_INTEGER : Math.max(LABEL, width - LABEL);
  const shownColumns = piped ? along.length : SHOWN_COLUMNS;
  const line = (label: string, text: string): string =>
    label.padEnd(LABEL) + (piped ? cleanText(text) : fitted(text, room));
  const list = along.slice(0, shownColumns).map(cleanText).join(', ');
  const more = along.length > shownColumns ? ` and ${along.length - shownColumns} more` : '';
  return [
    `${'file'.padEnd(LABEL)}${cleanText(name)}`,
    line('format', `${format} in ${encoding}${split}`),
    line('export', shape),
    ...[...fieldNames, 'thread' as const].flatMap((field) => {
      const columns = fields[field] ?? [];
      return columns.length === 0 ? [] : [line('reads', `${field} ← ${source(file, field, columns)}`)];
    }),
    ...codes.map((column) =>
      line('reads', `priority ← nothing: ${column} has bare numbers; --map priority=${column} takes them`),
    ),
    ...(along.length === 0 ? [] : [line('along', `into the results only: ${list}${more}`)]),
  ];
}

/** Columns that are all taken, or those of which the first with text is. */
function source({ joined }: FilePreview, field: Field | 'thread', columns: readonly string[]): string {
  const names = columns.map(cleanText);
  return field === 'thread' || joined.includes(field) ? names.join(', ') : names.join(', else ');
}

function delimiterName(delimiter: string): string {
  if (delimiter === '\t') return 'split by tabs';
  return delimiter < ' ' ? 'one column' : `split by "${delimiter}"`;
}

/** The beginning and the end of a ticket, and those of its body, each line no wider than the screen. */
function cut(text: string, width: number): readonly string[] {
  const lines = text.split('\n');
  const at = lines.indexOf('body:');
  const parts =
    at < 0
      ? [shortened(lines, BODY)]
      : [shortened(lines.slice(0, at), HEAD), shortened(lines.slice(at), BODY)];
  return parts.flat().map((line) => `  ${fitted(line, Math.max(LABEL, width - 2))}`);
}

function shortened(lines: readonly string[], { first, last }: typeof HEAD): readonly string[] {
  const left = lines.length - first - last;
  // A note in place of one line would save nothing.
  if (left <= 1) return lines;
  return [...lines.slice(0, first), `… ${left} more lines`, ...lines.slice(-last)];
}
