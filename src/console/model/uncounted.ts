import type { Client } from '../../client.ts';
import { count, usd } from './figures.ts';

/** Of the newest jobs, those that ended and are in no sum of the costs yet. */
export type Uncounted = NonNullable<Awaited<ReturnType<Client['costs']>>['uncounted']>;

export function uncountedText({ jobs, spentUsd }: Uncounted): string {
  const which = jobs === 1 ? '1 that has ended is' : `${count(jobs)} that have ended are`;
  return `${which} not counted yet, ${usd(spentUsd)}`;
}
