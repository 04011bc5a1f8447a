import { count, countOf, usd } from './figures.ts';
import type { Step } from './step.ts';

type Tries = Pick<Step['model'], 'attempts' | 'unsettledUsd' | 'unsettledEachUsd'>;

/** How often a step was tried, and what each attempt of unknown outcome left before its reply came; nothing for the usual. */
export function attemptsText({ attempts, unsettledUsd, unsettledEachUsd }: Tries): string {
  const tried = attempts > 1 ? [`after ${count(attempts)} attempts`] : [];
  const lost = unsettledEachUsd.length;
  if (lost === 0) return tried.join();
  const each = lost === 1 ? '' : `: ${unsettledEachUsd.map(usd).join(', ')}`;
  const left = `${countOf(lost, 'attempt')} of unknown outcome left ${usd(unsettledUsd)} unsettled${each}`;
  return [...tried, left].join(', ');
}
