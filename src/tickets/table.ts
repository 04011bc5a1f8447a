import { peopleText } from './need.ts';
import { type Beside, type Summary, usd } from './summary.ts';

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
