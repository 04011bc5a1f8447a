import { builtInPrices } from '../../src/core/prices.ts';
import { assumed, MONTH_DAYS } from './assumptions.ts';
import { type Count, sum } from './meter.ts';
import prices from './prices.json' with { type: 'json' };
import type { Ran } from './run.ts';

export type PriceName = keyof typeof prices.prices;

export function priceOf(name: PriceName): number {
  const { usd, per } = prices.prices[name];
  return usd / per;
}

/** A part of a bill, in dollars. */
export interface Line {
  readonly name: string;
  /** How many of what, in words. */
  readonly of: string;
  readonly usd: number;
}

export const total = (lines: readonly Line[]): number => lines.reduce((all, { usd }) => all + usd, 0);

const MILLION = 1_000_000;
const GB = 2 ** 30;
const round = (value: number, digits = 2): string => value.toFixed(digits).replace(/\.?0+$/, '');

/** Seconds that an invocation takes which awaits so many steps: nothing of its own work is hidden behind the model's answers. */
export function invocationSeconds(batch: number): number {
  const { modelSeconds, stepWaitSeconds, stepCpuSeconds, processorShare } = assumed;
  return modelSeconds + stepWaitSeconds + (batch * stepCpuSeconds) / processorShare;
}

const lambda = (invocations: number, seconds: number, gb: number = assumed.memoryGb): number =>
  invocations * (priceOf('lambdaRequest') + seconds * gb * priceOf('lambdaGbSecond'));

function requests({ submit, polls, worker, ending }: Ran): Count {
  return [polls, worker, ending].reduce((all, part) => sum(all, part), submit);
}

/** Dollars for each month in which the table keeps what a million steps have stored. */
export function keptMonth(ran: Ran): number {
  const gb = (MILLION * ran.storedBytes) / ran.steps / GB;
  return gb * (priceOf('dynamoGbMonth') + priceOf('recoveryGbMonth'));
}

/** What a million steps cost, by component. */
export function bill(ran: Ran, batch: number): readonly Line[] {
  const all = requests(ran);
  const perStep = (count: number): number => count / ran.steps;
  const million = (count: number, price: PriceName): number => MILLION * perStep(count) * priceOf(price);
  const seconds = invocationSeconds(batch);
  const logs = all.logBytes + ran.apiRequests * assumed.accessLogBytes;
  const each = (count: number, what: string): string => `${round(perStep(count))} ${what}`;
  return [
    {
      name: 'Lambda, worker',
      of: `${each(ran.invocations, 'invocations')} of ${round(seconds)} s`,
      usd: MILLION * lambda(perStep(ran.invocations), seconds),
    },
    { name: 'SQS', of: each(all.queueRequests, 'requests'), usd: million(all.queueRequests, 'sqsRequest') },
    {
      name: 'DynamoDB, writes',
      of: each(all.writeUnits, 'units'),
      usd: million(all.writeUnits, 'dynamoWrite'),
    },
    {
      name: 'DynamoDB, index writes',
      of: each(all.indexUnits, 'units'),
      usd: million(all.indexUnits, 'dynamoWrite'),
    },
    { name: 'DynamoDB, reads', of: each(all.readUnits, 'units'), usd: million(all.readUnits, 'dynamoRead') },
    {
      name: 'DynamoDB, kept for 14 days',
      of: `${round(perStep(ran.storedBytes) / 1_024)} KB, with point-in-time recovery`,
      usd: (keptMonth(ran) * assumed.keptDays) / MONTH_DAYS,
    },
    {
      name: 'API Gateway',
      of: each(ran.apiRequests, 'requests'),
      usd: million(ran.apiRequests, 'httpApiRequest'),
    },
    {
      name: 'Lambda, API',
      of: `${each(ran.apiRequests, 'invocations')} of ${assumed.apiSeconds} s`,
      usd: MILLION * lambda(perStep(ran.apiRequests), assumed.apiSeconds, assumed.apiMemoryGb),
    },
    { name: 'Logs', of: each(logs, 'bytes'), usd: million(logs, 'logGb') / GB },
  ];
}

/** What the same steps cost where each waits for its model in an invocation of its own, without tables, queues and APIs. */
export function peers(): readonly Line[] {
  const { steps, stepBytes, memoryGb, keptDays } = assumed;
  const seconds = assumed.modelSeconds + assumed.stepWaitSeconds;
  const waits = MILLION * seconds * memoryGb * priceOf('lambdaGbSecond');
  const perRun = MILLION / steps;
  const gb = (MILLION * stepBytes) / GB;
  const operations = 2 * MILLION + perRun;
  const durable =
    operations * priceOf('durableOperation') +
    gb * (priceOf('durableGb') + (priceOf('durableGbMonth') * keptDays) / MONTH_DAYS) +
    waits +
    perRun * priceOf('lambdaRequest');
  const invoked = waits + MILLION * priceOf('lambdaRequest');
  const expressGb = 0.0625;
  const express =
    MILLION * seconds * expressGb * priceOf('expressGbSecond') + perRun * priceOf('expressRequest');
  return [
    {
      name: 'Lambda durable functions',
      of: `2 operations a step and one a run, ${round(gb)} GB written and kept for ${keptDays} days, every wait billed`,
      usd: durable,
    },
    {
      name: 'Step Functions Express',
      of: 'one execution a run, 64 MB, every wait billed twice; at most 5 minutes a run, so no approvals and no deadlines',
      usd: express + invoked,
    },
    {
      name: 'Step Functions Standard',
      of: '3 transitions a step, every wait billed in Lambda; at most 25,000 events a run',
      usd: 3 * MILLION * priceOf('standardTransition') + invoked,
    },
  ];
}

const MONTH_MINUTES = MONTH_DAYS * 24 * 60;

/** What a deployment costs in a month in which nothing is asked of it. */
export function idleMonth({ idle }: Ran): readonly Line[] {
  const { pollers, pollSeconds, eventSources, secrets, secretReads, alarmMetrics, dashboards, metrics } =
    assumed;
  const polls = eventSources * pollers * MONTH_MINUTES * (60 / pollSeconds);
  const monthly = (count: number, what: string, price: PriceName): Line => ({
    name: what,
    of: String(count),
    usd: count * priceOf(price),
  });
  return [
    {
      name: 'Reconciler',
      of: `${MONTH_MINUTES} runs of ${assumed.reconcilerSeconds} s, ${idle.readUnits} read units each`,
      usd:
        lambda(MONTH_MINUTES, assumed.reconcilerSeconds) +
        MONTH_MINUTES * idle.readUnits * priceOf('dynamoRead'),
    },
    { name: 'Polls of two queues', of: `${polls} requests`, usd: polls * priceOf('sqsRequest') },
    {
      name: 'Secrets',
      of: `${secrets}, read ${secretReads} times`,
      usd: secrets * priceOf('secretMonth') + secretReads * priceOf('secretRead'),
    },
    monthly(alarmMetrics, 'Metrics with an alarm', 'alarmMonth'),
    monthly(metrics, 'Metrics of our own', 'metricMonth'),
    monthly(dashboards, 'Dashboard', 'dashboardMonth'),
  ];
}

const BYTES_PER_TOKEN = 4;
const ANSWER_BYTES = 1_024;

/** What the model's tokens of a million such steps cost, with the whole history cached and with nothing cached. */
export function tokens(model: string): { readonly cached: number; readonly uncached: number } {
  const price = builtInPrices[model];
  if (price === undefined) throw new Error(`${model} has no price`);
  const step = assumed.stepBytes / BYTES_PER_TOKEN;
  const runs = MILLION / assumed.steps;
  // Step k sends what the k - 1 steps before it have left.
  const history = (runs * step * assumed.steps * (assumed.steps - 1)) / 2;
  const output = (MILLION * ANSWER_BYTES * price.output) / BYTES_PER_TOKEN;
  const dollars = (microUsd: number): number => microUsd / MILLION / MILLION;
  return {
    cached: dollars(history * price.cacheRead + MILLION * step * price.cacheWrite5m + output),
    uncached: dollars((history + MILLION * step) * price.input + output),
  };
}
