/**
 * What cannot be counted in memory. Measured figures are rounded against us; none is measured when the page is made, so that
 * the same code always makes the same page.
 */
export const assumed = {
  /** The case: 20-step jobs, 4 KB a step, 5 s until the model has answered. */
  steps: 20,
  stepBytes: 4_096,
  modelSeconds: 5,
  polls: 4,

  memoryGb: 0.25,
  /** Lambda gives a whole processor to 1,769 MB. */
  processorShare: 256 / 1_769,
  /** Processor time of a step: 9 to 11 ms of one x64 processor under Node 22, SDK included; 3 to 4 in `npm run bench`. */
  stepCpuSeconds: 0.01,
  /** Waiting for the table and the queue, one after the other, in one step. */
  stepWaitSeconds: 0.1,
  /** One request of the API, which has 1,024 MB, and one run of the reconciler that finds nothing: not measured on Lambda. */
  apiSeconds: 0.06,
  apiMemoryGb: 1,
  reconcilerSeconds: 0.5,

  /** What API Gateway logs of a request. Lambda logs nothing of its own: the stack asks for warnings only. */
  accessLogBytes: 400,

  /** How long the transcript is kept in the comparison: as long as a durable function keeps its own by default. */
  keptDays: 14,

  /** Long polls of one event source that finds nothing: five pollers, 20 s each. */
  pollers: 5,
  pollSeconds: 20,
  eventSources: 2,
  /** Reads of secrets by environments that come and go: one an hour. */
  secretReads: 730,
  secrets: 1,
  /** Metrics that the alarms are on: eight alarms on one each, two on the errors or throttles and the invocations of four functions. */
  alarmMetrics: 24,
  dashboards: 1,
  /** Metrics of our own, which the reconciler logs every minute. */
  metrics: 6,
} as const;

export const MONTH_DAYS = 30;
