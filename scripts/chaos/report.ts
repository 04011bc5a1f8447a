import type { Policy } from '../../src/core/agent.ts';
import type { RawHead } from './heads.ts';
import type { Outcome } from './run.ts';

const statusNames: Readonly<Record<string, string>> = {
  s: 'succeeded',
  p: 'stopped',
  f: 'failed',
  c: 'cancelled',
};

const dollars = (microUsd: number): string => `$${(microUsd / 1_000_000).toFixed(6)}`;

function sum<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((total, one) => total + of(one), 0);
}

/** `succeeded 196, stopped by cost_ceiling 4`. */
function endings(heads: readonly RawHead[]): string {
  const counts = new Map<string, number>();
  for (const { status, reason } of heads) {
    const name = statusNames[status] ?? `not ended (${status})`;
    const shown = status === 's' || reason === '' ? name : `${name} by ${reason}`;
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}

function effectsLine({ effects }: Outcome): string {
  const calls = (policy: Policy): string => {
    const runs = effects.filter((effect) => effect.policy === policy);
    const different = new Set(runs.map(({ jobId, mark }) => `${jobId} ${mark}`)).size;
    return `${policy} ${runs.length} runs of ${different} calls`;
  };
  return (['pure', 'idempotent', 'once'] as const).map(calls).join(', ');
}

/** What a run did, line by line; every figure was counted where it happened. */
export function report(outcome: Outcome): string {
  const { options, proxies, heads, modelCalls } = outcome;
  const { sqs, dynamodb, model } = proxies;
  const refused = modelCalls.filter(({ status }) => status !== 200).length;
  const review = heads.filter(({ needsReview }) => needsReview).length;
  const internal = heads.filter(({ reason }) => reason === 'internal').length;
  const lines: readonly (readonly [string, string])[] = [
    ['jobs', `${heads.length} of ${options.jobs} in the table: ${endings(heads)}`],
    ['', `${review} flagged needsReview, ${internal} given up as internal`],
    ['workers', `${options.workers}, ${outcome.kills} kills, ${outcome.deaths} other deaths`],
    ['queue', `${sqs.requests} requests, ${sqs.duplicates} duplicates, ${lostAndThrottled(sqs)}`],
    ['table', `${dynamodb.requests} requests, ${lostAndThrottled(dynamodb)}`],
    ['model', `${model.requests} requests, ${lostAndThrottled(model)}, ${model.slowed} slow`],
    ['', `${modelCalls.length} calls answered, ideal ${options.jobs * options.steps}; ${refused} refused`],
    ['money', `billed ${dollars(sum(modelCalls, ({ costMicroUsd }) => costMicroUsd))}`],
    [
      '',
      `settled ${dollars(sum(heads, ({ settled }) => settled))}, unsettled ${dollars(sum(heads, ({ unsettled }) => unsettled))}`,
    ],
    ['effects', effectsLine(outcome)],
    ['elapsed', `${(outcome.elapsedMs / 1_000).toFixed(1)} s, seed ${options.seed}`],
    ['verdict', verdict(outcome)],
  ];
  const shown = lines.map(([name, text]) => `${name.padEnd(9)}${text}`);
  return `${[...shown, ...outcome.violations.map((violation) => `  ${violation}`)].join('\n')}\n`;
}

function lostAndThrottled(counts: { readonly lostAnswers: number; readonly throttles: number }): string {
  return `${counts.lostAnswers} lost answers, ${counts.throttles} throttled`;
}

function verdict({ violations, folder }: Outcome): string {
  return violations.length === 0
    ? 'all hold'
    : `${violations.length} violations; effects and logs: ${folder}`;
}
