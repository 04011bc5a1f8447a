import { expect, it } from 'vitest';
import { embeddedMetrics, type Measures, metrics } from '../../src/core/metrics.ts';

const measures: Measures = {
  ...{ oldestDueSeconds: 7, stalledJobs: 1, openDeadLetters: 2, approvalsExpiring: 3 },
  ...{ spentUsd: 1.25, unsettledUsd: 0.5 },
};

it('is one line of the embedded metric format, with every metric declared, valued and under the table', () => {
  const line = JSON.parse(JSON.stringify(embeddedMetrics(measures, 'jobs', 1_800_000_000_000)));
  expect(line._aws.Timestamp).toBe(1_800_000_000_000);
  const [{ Namespace, Dimensions, Metrics }, ...others] = line._aws.CloudWatchMetrics;
  expect([Namespace, Dimensions, others]).toEqual(['Treadle', [['TableName']], []]);
  expect(line.TableName).toBe('jobs');
  expect(Metrics.map(({ Name }: { Name: string }) => line[Name])).toEqual(Object.values(measures));
  expect(Metrics).toHaveLength(Object.keys(metrics).length);
});
