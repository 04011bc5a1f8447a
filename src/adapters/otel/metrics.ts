import type { Attributes, Meter } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  MeterProvider,
  MetricReader,
} from '@opentelemetry/sdk-metrics';
import type { EndFacts, Fact, StepFacts } from '../../core/facts.ts';
import { usd } from '../../core/job.ts';
import type { ProviderName } from './attributes.ts';

/** How sums are counted: since the last time they were sent, or since the process began. */
export type Temporality = 'delta' | 'cumulative';

export interface Metrics {
  readonly add: (facts: readonly Fact[]) => void;
  readonly collect: () => Promise<CollectionResult>;
}

/** Collects when it is asked, and never by itself: between invocations no timer runs. */
class AskedReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

export function createMetrics(resource: Resource, provider: ProviderName, temporality: Temporality): Metrics {
  const { DELTA, CUMULATIVE } = AggregationTemporality;
  const reader = new AskedReader({
    aggregationTemporalitySelector: () => (temporality === 'delta' ? DELTA : CUMULATIVE),
  });
  const meter = new MeterProvider({ resource, readers: [reader] }).getMeter('treadle');
  const instruments = instrumentsOf(meter);
  return {
    add: (facts) => {
      for (const fact of facts) record(instruments, provider, fact);
    },
    collect: () => reader.collect(),
  };
}

/** The bounds of the conventions. */
const TOKEN_BOUNDS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];
const SECOND_BOUNDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

function instrumentsOf(meter: Meter) {
  return {
    tokens: meter.createHistogram('gen_ai.client.token.usage', {
      ...{ unit: '{token}', description: 'Number of input and output tokens used.' },
      advice: { explicitBucketBoundaries: TOKEN_BOUNDS },
    }),
    duration: meter.createHistogram('gen_ai.client.operation.duration', {
      ...{ unit: 's', description: 'GenAI operation duration.' },
      advice: { explicitBucketBoundaries: SECOND_BOUNDS },
    }),
    cost: meter.createCounter('treadle.cost.usd', {
      ...{ unit: '{USD}', description: 'What model calls cost, and what was given up as unsettled.' },
    }),
    ended: meter.createCounter('treadle.jobs.ended', {
      ...{ unit: '{job}', description: 'Jobs that ended, by why.' },
    }),
  };
}

type Instruments = ReturnType<typeof instrumentsOf>;

function record(instruments: Instruments, provider: ProviderName, fact: Fact): void {
  if (fact.type === 'step') recordStep(instruments, provider, fact);
  else recordEnd(instruments, fact);
}

function recordEnd({ ended }: Instruments, { job }: EndFacts): void {
  const { agent, status, stop = '' } = job;
  ended.add(1, { 'gen_ai.agent.name': agent, 'treadle.status': status, 'treadle.stop.reason': stop });
}

function recordStep({ tokens, duration, cost }: Instruments, provider: ProviderName, facts: StepFacts): void {
  const { asked, model, job, spent, unsettled } = facts;
  const labels = { 'gen_ai.agent.name': job.agent, 'gen_ai.request.model': model };
  if (spent > 0) cost.add(usd(spent), { ...labels, 'treadle.cost.type': 'spent' });
  if (unsettled > 0) cost.add(usd(unsettled), { ...labels, 'treadle.cost.type': 'unsettled' });
  if (asked === undefined) return;
  const common: Attributes = {
    ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider },
    ...labels,
  };
  const failed = asked.problem === '' ? {} : { 'error.type': asked.problem };
  duration.record(Math.max(0, asked.endMs - asked.startMs) / 1_000, { ...common, ...failed });
  if (asked.usage === undefined) return;
  const [input, output, cacheWrite, cacheRead] = asked.usage;
  tokens.record(input + cacheWrite + cacheRead, { ...common, 'gen_ai.token.type': 'input' });
  tokens.record(output, { ...common, 'gen_ai.token.type': 'output' });
}
