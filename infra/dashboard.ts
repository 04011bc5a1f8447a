import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  SingleValueWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Watched } from './alarms.ts';
import { measured, worstShare } from './metrics.ts';

const graph = (title: string, left: readonly IMetric[]): GraphWidget =>
  new GraphWidget({ title, left: [...left], width: 8, height: 6 });

const hourly = { statistic: Stats.SUM, period: Duration.hours(1) };

/** One page: what rings, whether work flows, what it costs. */
export function createDashboard(scope: Construct, watched: Watched, alarms: readonly Alarm[]): Dashboard {
  const { table, queues, worker, functions } = watched;
  const dashboard = new Dashboard(scope, 'Dashboard', { defaultInterval: Duration.hours(12) });
  dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 4 }));
  dashboard.addWidgets(
    new SingleValueWidget({
      title: 'Now',
      metrics: [
        measured(table, 'oldestDueSeconds'),
        measured(table, 'stalledJobs'),
        measured(table, 'openDeadLetters'),
        measured(table, 'approvalsExpiring'),
      ],
      width: 24,
      height: 4,
    }),
  );
  dashboard.addWidgets(
    graph('Messages', [
      queues.steps.metricApproximateNumberOfMessagesVisible(),
      queues.steps.metricApproximateNumberOfMessagesNotVisible(),
      queues.deadLetters.metricApproximateNumberOfMessagesVisible(),
    ]),
    graph('Worker', [
      worker.metricInvocations(),
      worker.metricDuration({ statistic: Stats.p(50) }),
      worker.metricDuration({ statistic: Stats.p(99) }),
    ]),
    graph('Errors and throttles, percent', [
      worstShare(functions, 'errors'),
      worstShare(functions, 'throttles'),
    ]),
  );
  dashboard.addWidgets(
    graph('Dollars of jobs that ended', [
      measured(table, 'spentUsd', hourly),
      measured(table, 'unsettledUsd', hourly),
    ]),
    graph('Oldest due, seconds', [measured(table, 'oldestDueSeconds')]),
    graph('Table', [
      table.metricConsumedReadCapacityUnits(),
      table.metricConsumedWriteCapacityUnits(),
      table.metricUserErrors(),
    ]),
  );
  return dashboard;
}
