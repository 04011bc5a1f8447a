import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { METRIC_DIMENSION, METRIC_NAMESPACE, type Measures, metrics } from '../src/core/metrics.ts';

const FIVE_MINUTES = Duration.minutes(5);

interface Over {
  /** @default the highest value */
  readonly statistic?: string;
  /** @default five minutes */
  readonly period?: Duration;
}

/** What the reconciler measures each minute, of this deployment. */
export function measured(
  table: Table,
  measure: keyof Measures,
  { statistic = Stats.MAXIMUM, period = FIVE_MINUTES }: Over = {},
): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName: metrics[measure].name,
    dimensionsMap: { [METRIC_DIMENSION]: table.tableName },
    statistic,
    period,
  });
}

/** Of all functions the worst one's share of invocations in percent: one that fails always is not lost among many that do not. */
export function worstShare(functions: readonly IFunction[], what: 'errors' | 'throttles'): IMetric {
  const share = (at: number): string => `${what}Share${at}`;
  const shares = functions.map((handler, at) => {
    const bad =
      what === 'errors'
        ? handler.metricErrors({ period: FIVE_MINUTES, statistic: Stats.SUM })
        : handler.metricThrottles({ period: FIVE_MINUTES, statistic: Stats.SUM });
    const all = handler.metricInvocations({ period: FIVE_MINUTES, statistic: Stats.SUM });
    // What was throttled was not invoked. Without any invocation there is no value, and no trouble.
    const tried =
      what === 'errors' ? `FILL(invoked${at}, 1)` : `(FILL(invoked${at}, 1) + FILL(${what}${at}, 0))`;
    return new MathExpression({
      expression: `100 * FILL(${what}${at}, 0) / ${tried}`,
      usingMetrics: { [`${what}${at}`]: bad, [`invoked${at}`]: all },
      period: FIVE_MINUTES,
    });
  });
  return new MathExpression({
    expression: `MAX([${shares.map((_, at) => share(at)).join(', ')}])`,
    usingMetrics: Object.fromEntries(shares.map((expression, at) => [share(at), expression])),
    period: FIVE_MINUTES,
    label: `${what}, percent of the worst function`,
  });
}
