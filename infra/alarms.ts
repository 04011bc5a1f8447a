import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { measured, worstShare } from './metrics.ts';
import type { AlarmLimits } from './props.ts';
import type { StepQueues } from './queues.ts';

export interface Watched {
  readonly table: Table;
  readonly queues: StepQueues;
  readonly worker: IFunction;
  /** Every function, the worker among them. */
  readonly functions: readonly IFunction[];
  readonly maxConcurrency: number;
  readonly alarmAt: AlarmLimits;
}

interface Rule {
  readonly says: string;
  readonly metric: IMetric;
  /** Rings at this value and above. */
  readonly threshold: number;
  /** For so many periods of the metric, one after the other. @default 1 */
  readonly periods?: number;
  /** @default it is well */
  readonly whenMissing?: TreatMissingData;
}

const HOUR = Duration.hours(1);
const hourly = { statistic: Stats.SUM, period: HOUR };

/** One alarm for each thing that a person must know of, by the name of its section in the runbook. */
function rulesOf({
  table,
  queues,
  functions,
  worker,
  maxConcurrency,
  alarmAt,
}: Watched): Record<string, Rule> {
  const { spendPerHourUsd = 10, unsettledPerHourUsd = 1 } = alarmAt;
  const { invocationsPerHour = maxConcurrency * 3_600 } = alarmAt;
  return {
    'dead-letters': {
      says: 'Messages were given up and nobody has sent them again.',
      metric: measured(table, 'openDeadLetters'),
      threshold: 1,
    },
    'dead-letter-consumer-down': {
      says: 'Messages stay in the dead-letter queue: the function that takes them does not run, or fails.',
      metric: queues.deadLetters.metricApproximateNumberOfMessagesVisible({
        statistic: Stats.MINIMUM,
        period: Duration.minutes(5),
      }),
      threshold: 1,
      periods: 3,
    },
    'oldest-due': {
      says: 'Something is overdue for more than five minutes, or the reconciler does not run.',
      metric: measured(table, 'oldestDueSeconds'),
      threshold: 300,
      periods: 2,
      whenMissing: TreatMissingData.BREACHING,
    },
    'stalled-jobs': {
      says: 'Jobs were sent again and again, and no worker moves them on.',
      metric: measured(table, 'stalledJobs', { period: Duration.minutes(15) }),
      threshold: 1,
    },
    'function-errors': {
      says: 'A function fails in more than one of twenty invocations.',
      metric: worstShare(functions, 'errors'),
      threshold: 5,
      periods: 2,
    },
    throttles: {
      says: 'A function is turned away in more than one of twenty invocations.',
      metric: worstShare(functions, 'throttles'),
      threshold: 5,
      periods: 2,
    },
    'invocations-per-hour': {
      says: 'The worker is invoked more often than waiting for a model explains: messages may run in a circle.',
      metric: worker.metricInvocations(hourly),
      threshold: invocationsPerHour,
    },
    'spend-per-hour': {
      says: `Jobs that ended within an hour have cost ${spendPerHourUsd} dollars or more.`,
      metric: measured(table, 'spentUsd', hourly),
      threshold: spendPerHourUsd,
    },
    'unsettled-money': {
      says: `Model calls of unknown outcome were charged ${unsettledPerHourUsd} dollars or more within an hour.`,
      metric: measured(table, 'unsettledUsd', hourly),
      threshold: unsettledPerHourUsd,
    },
    'approvals-about-to-expire': {
      says: 'Calls that wait for a person expire within the hour.',
      metric: measured(table, 'approvalsExpiring'),
      threshold: 1,
    },
  };
}

/** The alarms, each with what it means and where the runbook says what to do. */
export function createAlarms(
  scope: Construct,
  watched: Watched,
  topic: ITopic | undefined,
): readonly Alarm[] {
  const own = new Construct(scope, 'Alarms');
  return Object.entries(rulesOf(watched)).map(([name, rule]) => {
    const alarm = new Alarm(own, name, {
      alarmDescription: `${rule.says} Runbook: docs/operate.md#${name}`,
      metric: rule.metric,
      threshold: rule.threshold,
      evaluationPeriods: rule.periods ?? 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: rule.whenMissing ?? TreatMissingData.NOT_BREACHING,
    });
    if (topic !== undefined) {
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
    }
    return alarm;
  });
}
