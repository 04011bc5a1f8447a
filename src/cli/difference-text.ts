import type { Difference, FieldDifference, MeanDifference } from '../eval/difference.ts';
import { dollars, listed, percent } from './eval-text.ts';
import { textTable } from './text-table.ts';

const verdicts = {
  better: 'better',
  worse: 'WORSE',
  same: 'no difference that could not be chance',
} as const satisfies Readonly<Record<FieldDifference['verdict'], string>>;

/** What changed since a baseline, for people. */
export function differenceText(name: string, difference: Difference): string {
  const { cases, fields, onlyBefore, onlyNow, cautions } = difference;
  const judged = fields.filter(({ of }) => of > 0);
  if (cases === 0) return `baseline ${name}: nothing to compare, because no case is in both runs\n`;
  const header = ['against the baseline', 'before', 'now', 'newly right', 'newly wrong', 'p', ''];
  const rows = judged.map(({ field, of, before, now, newlyRight, newlyWrong, p, verdict }) => [
    field,
    percent(before / of),
    percent(now / of),
    String(newlyRight.length),
    String(newlyWrong.length),
    p < 0.001 ? '<0.001' : p.toFixed(3),
    verdicts[verdict],
  ]);
  return [
    `baseline ${name}: ${cases} ${cases === 1 ? 'case is' : 'cases are'} in both runs\n`,
    ...cautions.map((caution) => `caution: ${caution}\n`),
    rows.length === 0 ? 'no field was measured in both runs\n' : textTable([header, ...rows]),
    ...judged.map(changesText),
    meanText(
      'dollars a ticket',
      difference.costUsd,
      dollars,
      ', and the hits of the prompt cache vary from run to run',
    ),
    meanText('steps a ticket', difference.steps, (steps) => steps.toFixed(2)),
    onlyText('only in the baseline', onlyBefore),
    onlyText('only in this run', onlyNow),
  ].join('');
}

function changesText({ field, newlyRight, newlyWrong }: FieldDifference): string {
  return onlyText(`${field} newly wrong`, newlyWrong) + onlyText(`${field} newly right`, newlyRight);
}

const onlyText = (what: string, ids: readonly string[]): string =>
  ids.length === 0 ? '' : `${what}: ${listed(ids, 20)}\n`;

function meanText(
  what: string,
  { before, now, more }: MeanDifference,
  shown: (value: number) => string,
  caution = '',
): string {
  const share = before === 0 ? '' : ` (${more < 0 ? '' : '+'}${percent(more / before)})`;
  return `${what}: ${shown(before)} before, ${shown(now)} now${share}${more === 0 ? '' : caution}\n`;
}
