import { countOf, usd } from './figures.ts';

/** Further ones are counted: a line of a table has room for a few. */
const MOST_NAMED = 3;

/** What each attempt of unknown outcome left charged, first first: `$0.0037 + $0.0037 left unsettled`; empty for none. */
export function lostAmounts(eachUsd: readonly number[]): string {
  if (eachUsd.length === 0) return '';
  const named = eachUsd.slice(0, MOST_NAMED).map(usd).join(' + ');
  const further = eachUsd.length - MOST_NAMED;
  return `${named}${further > 0 ? ` + ${further} more` : ''} left unsettled`;
}

/** How often a step was tried, where that was more than once, and what that left unsettled. */
export function attemptsText(attempts: number, eachUsd: readonly number[]): string {
  const lost = lostAmounts(eachUsd);
  if (attempts <= 1) return lost;
  return `after ${countOf(attempts, 'attempt')}${lost === '' ? '' : `: ${lost}`}`;
}

/** A mark for a step whose reply came only after attempts of unknown outcome; empty for none. */
export const lostMark = (eachUsd: readonly number[]): string =>
  eachUsd.length === 0 ? '' : `${countOf(eachUsd.length, 'attempt')} lost`;
