import {
  type Attributes,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import { AlwaysOnSampler, type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import type { EndFacts, Fact, StepFacts } from '../../core/facts.ts';
import { agentAttributes, chatAttributes, type ProviderName, toolAttributes } from './attributes.ts';
import { spanId, type TraceIds, traceIds } from './trace-ids.ts';

export interface Spans {
  /** The spans of these facts, ended. */
  readonly of: (facts: readonly Fact[]) => readonly ReadableSpan[];
}

interface Drawn {
  readonly ids: TraceIds;
  readonly id: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
}

/**
 * Draws facts as spans. The provider is ours alone and not registered: what else in the process makes spans, the SDK of
 * the model for one, is not sent with ours, and ours not with theirs.
 */
export function createSpans(resource: Resource, provider: ProviderName): Spans {
  let ended: ReadableSpan[] = [];
  let next = { traceId: '', spanId: '' };
  const done = async (): Promise<void> => undefined;
  const tracers = new TracerProvider({
    resource,
    sampler: new AlwaysOnSampler(),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [
      { onStart: () => undefined, onEnd: (span) => void ended.push(span), forceFlush: done, shutdown: done },
    ],
  });
  const tracer = tracers.getTracer('treadle');

  const draw = ({ ids, id, name, kind, startMs, endMs, attributes }: Drawn): void => {
    const { traceId, root } = ids;
    next = { traceId, spanId: id };
    const parent = { traceId, spanId: root, traceFlags: TraceFlags.SAMPLED, isRemote: true };
    const context = id === root ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const span = tracer.startSpan(name, { kind, attributes, startTime: startMs }, context);
    if ('error.type' in attributes) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(Math.max(startMs, endMs));
  };

  return {
    of: (facts) => {
      ended = [];
      for (const fact of facts) for (const drawn of drawnOf(provider, fact)) draw(drawn);
      return ended;
    },
  };
}

function drawnOf(provider: ProviderName, fact: Fact): readonly Drawn[] {
  switch (fact.type) {
    case 'step':
      return stepSpans(provider, fact);
    case 'ended':
      return [agentSpan(provider, fact)];
    default:
      return fact satisfies never;
  }
}

function stepSpans(provider: ProviderName, facts: StepFacts): readonly Drawn[] {
  const { asked, calls, model } = facts;
  const ids = traceIds(facts.job);
  const tools = calls.map((call) => ({
    ...{
      ids,
      id: spanId(ids, facts, call.place),
      name: `execute_tool ${call.tool}`,
      kind: SpanKind.INTERNAL,
    },
    ...{ startMs: call.startMs, endMs: call.endMs, attributes: toolAttributes(facts, call) },
  }));
  if (asked === undefined) return tools;
  const chat = {
    ...{ ids, id: spanId(ids, facts), name: `chat ${model}`, kind: SpanKind.CLIENT },
    ...{ startMs: asked.startMs, endMs: asked.endMs, attributes: chatAttributes(provider, facts, asked) },
  };
  return [...tools, chat];
}

function agentSpan(provider: ProviderName, facts: EndFacts): Drawn {
  const { job } = facts;
  const ids = traceIds(job);
  return {
    ...{ ids, id: ids.root, name: `invoke_agent ${job.agent}`, kind: SpanKind.INTERNAL },
    ...{ startMs: job.createdAtMs, endMs: job.endedAtMs, attributes: agentAttributes(provider, facts) },
  };
}
