/** What a run of the reconciler finds out about the whole deployment. */
export interface Measures {
  /** Since when the oldest thing is overdue that somebody should have looked at. */
  readonly oldestDueSeconds: number;
  /** Jobs that this run sent again and that no worker has moved on for minutes. */
  readonly stalledJobs: number;
  /** Dead letters of all tenants and of nobody that were not sent again, 1,000 at the most. */
  readonly openDeadLetters: number;
  /** Jobs that wait for a person who has less than an hour left. */
  readonly approvalsExpiring: number;
  /** What the jobs cost that this run added to the totals, money of unknown outcome included. */
  readonly spentUsd: number;
  /** The part of it whose outcome is unknown. */
  readonly unsettledUsd: number;
}

/** How CloudWatch knows each of them. The alarms of the stack are on the same names. */
export const metrics = {
  oldestDueSeconds: { name: 'OldestDueSeconds', unit: 'Seconds' },
  stalledJobs: { name: 'StalledJobs', unit: 'Count' },
  openDeadLetters: { name: 'OpenDeadLetters', unit: 'Count' },
  approvalsExpiring: { name: 'ApprovalsExpiring', unit: 'Count' },
  spentUsd: { name: 'SpentUsd', unit: 'None' },
  unsettledUsd: { name: 'UnsettledUsd', unit: 'None' },
} as const satisfies Readonly<Record<keyof Measures, { readonly name: string; readonly unit: string }>>;

export const METRIC_NAMESPACE = 'Treadle';
/** A deployment is told from others by the name of its table. */
export const METRIC_DIMENSION = 'TableName';

/**
 * The fields of a log line in CloudWatch's embedded metric format: CloudWatch Logs makes the metrics as it takes the line
 * in, so that no function has to call CloudWatch or be allowed to.
 */
export function embeddedMetrics(
  measures: Measures,
  tableName: string,
  atMs: number,
): Readonly<Record<string, unknown>> {
  const values = Object.entries(metrics).map(([key, { name }]) => [name, measures[key as keyof Measures]]);
  return {
    _aws: {
      Timestamp: atMs,
      CloudWatchMetrics: [
        {
          Namespace: METRIC_NAMESPACE,
          Dimensions: [[METRIC_DIMENSION]],
          Metrics: Object.values(metrics).map(({ name, unit }) => ({ Name: name, Unit: unit })),
        },
      ],
    },
    [METRIC_DIMENSION]: tableName,
    ...Object.fromEntries(values),
  };
}
