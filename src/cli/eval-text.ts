import type { FieldAccuracy, Share } from '../eval/accuracy.ts';
import type { Calibration } from '../eval/calibration.ts';
import type { Confusion } from '../eval/confusion.ts';
import type { Figures } from '../eval/figures.ts';
import type { Spread } from '../eval/spread.ts';
import { oneLine } from '../tickets/padded.ts';
import { textTable } from './text-table.ts';

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
export const dollars = (usd: number): string => `$${usd.toFixed(6)}`;

const interval = ({ low, high }: Share): string => `${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)} %`;

/** Names as they may be shown, and how many more there are. */
export function listed(names: readonly string[], most = 12): string {
  const shown = names.slice(0, most).map((name) => oneLine(name));
  return names.length > most ? `${shown.join(', ')} and ${names.length - most} more` : shown.join(', ');
}

/** The figures of a run for people. */
export function figuresText(figures: Figures): string {
  return [
    accuracyText(figures),
    confusionsText(figures),
    calibrationText(figures),
    reviewText(figures),
    perCaseText(figures),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function accuracyText({ accuracy, unknownFields, unseenLabels, rightFields, right }: Figures): string {
  const row = ({ field, ...share }: FieldAccuracy): readonly string[] => [
    field,
    String(share.right),
    String(share.of),
    percent(share.share),
    interval(share),
  ];
  const all = { field: `all of ${rightFields.join(', ')}`, ...right };
  const rows = [
    ['accuracy', 'right', 'of', 'share', '95 % interval'],
    ...accuracy.map(row),
    ...(rightFields.length > 1 ? [row(all)] : []),
  ];
  const unknown = unknownFields.map(
    ({ field, cases }) =>
      `not measured: no answer has a field ${oneLine(field)}, which ${cases} ${cases === 1 ? 'case names' : 'cases name'} as a label\n`,
  );
  return textTable(rows) + unknown.join('') + unseenText(unseenLabels);
}

/** A typing mistake and a word of another system look like answers that are wrong, so they are named. */
function unseenText(unseen: Figures['unseenLabels']): string {
  const fields = [...new Set(unseen.map(({ field }) => field))];
  return fields
    .map((field) => {
      const labels = unseen.filter((one) => one.field === field);
      const names = labels.map(({ label, cases }) => `${label} (${cases})`);
      const [what, ask] =
        names.length === 1
          ? ['is a label', 'is it a value of the agent']
          : ['are labels', 'are they values of the agent'];
      return `${oneLine(field)}: ${listed(names)} ${what} that no answer of this run has: ${ask}?\n`;
    })
    .join('');
}

/** More values than this do not fit beside each other. */
const MAX_VALUES = 12;
const MAX_MISTAKES = 8;

/** Expected down, answered across: with the numbers of the rows as headers, columns stay narrow in every script. */
function confusionsText({ confusion }: Figures): string {
  const texts = confusion.map(confusionText).filter((text) => text !== '');
  if (texts.length === 0) return '';
  return ['confusion: labels down, answers across by the numbers of the rows\n', ...texts].join('\n');
}

function confusionText({ field, values, counts, mistakes }: Confusion): string {
  if (mistakes.length === 0) return '';
  const numbered = values.map((value, at) => `${at + 1} ${value}`);
  const header = [field, ...values.map((_, at) => String(at + 1))];
  const cell = (count: number): string => (count === 0 ? '.' : String(count));
  const matrix =
    values.length > MAX_VALUES
      ? ''
      : textTable([header, ...numbered.map((name, at) => [name, ...(counts[at] ?? []).map(cell)])]);
  const most = mistakes.slice(0, MAX_MISTAKES);
  const rows = most.map(({ expected, answered, count, ids }) => [
    `${oneLine(expected)} answered as ${oneLine(answered)}`,
    String(count),
    listed(ids) + (count > ids.length ? ', …' : ''),
  ]);
  const left = mistakes.slice(MAX_MISTAKES).reduce((sum, { count }) => sum + count, 0);
  const rest = left === 0 ? '' : `and ${left} other ${left === 1 ? 'mistake' : 'mistakes'}\n`;
  return `${matrix}${textTable([[`${field}: mistakes`, 'cases', 'among them'], ...rows], 60)}${rest}`;
}

function calibrationText({ calibration, rightFields }: Figures): string {
  if (calibration === undefined) return 'confidence: no answer has a number confidence from 0 to 1\n';
  const rows = calibration.bins.map(({ from, to, of, right, share, meanConfidence, kept }) => [
    `${from.toFixed(1)}–${to.toFixed(1)}`,
    String(of),
    of === 0 ? '' : meanConfidence.toFixed(2),
    String(right),
    of === 0 ? '' : percent(share),
    String(kept.of),
    kept.of === 0 ? '' : percent(kept.share),
  ]);
  const header = ['confidence', 'cases', 'mean', 'right', 'share', 'from here up', 'share'];
  return `${textTable([header, ...rows])}${calibrationTotals(calibration)}right here: all of ${rightFields.join(', ')} (--right-field chooses)\n`;
}

function calibrationTotals({ all, meanConfidence, expectedError }: Calibration): string {
  return (
    `mean confidence ${meanConfidence.toFixed(2)}, right ${percent(all.share)}, ` +
    `expected calibration error ${expectedError.toFixed(3)}\n`
  );
}

function reviewText({ review, cases }: Figures): string {
  const { needed, right, others } = review;
  const share = cases === 0 ? 0 : needed / cases;
  const shareOf = (one: Share): string =>
    one.of === 0 ? 'none' : `${percent(one.share)} right (${one.right} of ${one.of})`;
  return `needs review: ${needed} of ${cases} (${percent(share)}), ${shareOf(right)}; the others: ${shareOf(others)}\n`;
}

function perCaseText({ perCase }: Figures): string {
  const { costUsd, steps, tokens } = perCase;
  const row = (name: string, spread: Spread, shown: (value: number) => string): readonly string[] => [
    name,
    ...[spread.mean, spread.median, spread.p95, spread.max, spread.total].map(shown),
  ];
  const short = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(2));
  return textTable([
    ['a ticket', 'mean', 'median', 'p95', 'max', 'all'],
    row('dollars', costUsd, dollars),
    row('steps', steps, short),
    row('tokens', tokens, (value) => String(Math.round(value))),
  ]);
}
