import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClaude } from '../../../src/adapters/claude.ts';
import { createOtlpSender, type OtlpOptions, readHeaders } from '../../../src/adapters/otel/sender.ts';
import { jobFacts, type StepFacts } from '../../../src/core/facts.ts';
import { ending } from '../../../src/core/stop-rules.ts';
import type { Fact } from '../../../src/ports.ts';
import { aJob, NOW } from '../../support/a-job.ts';
import { type Collector, startCollector } from '../../support/otlp-collector.ts';

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector.close());

const sender = (options: Partial<OtlpOptions> = {}) =>
  createOtlpSender({ endpoint: collector.endpoint, provider: 'anthropic', ...options });

const job = aJob({
  ...{ id: 'job_a', agent: 'refunds', tenant: 'acme', batchId: 'batch_b', steps: 2 },
  ledger: { ceiling: 250_000, settled: 30_000, reserved: 0, unsettled: 4_000 },
  usage: { input: 300, output: 60, cacheWrite: 100, cacheRead: 1_000 },
});
const ended = { ...job, status: ending('completed'), endedAtMs: NOW + 60_000 };

const aStep = (changes: Partial<StepFacts> = {}): StepFacts => ({
  ...{ type: 'step', event: 'replied', job: jobFacts(job), model: 'claude-haiku-5-5', fence: 3, attempt: 1 },
  asked: {
    ...{ startMs: NOW + 10_000, endMs: NOW + 15_000, maxTokens: 4_096, stop: 'tool_use', problem: '' },
    ...{ usage: [200, 40, 50, 700], cost: 1_234, reserved: 9_000 },
  },
  calls: [
    { id: 'call_2_0', place: 0, tool: 'search', startMs: NOW + 9_000, endMs: NOW + 9_400, failed: false },
    { id: 'call_2_1', place: 1, tool: 'refund', startMs: NOW + 9_000, endMs: NOW + 10_000, failed: true },
  ],
  ...{ spent: 1_234, unsettled: 0, queueMs: 3, toolsMs: 1_000, engineMs: 2, dropped: 0 },
  ...changes,
});
const anEnd: Fact = { type: 'ended', job: jobFacts(ended), model: 'claude-haiku-5-5' };
const spanOf = (name: string) => {
  const [first, ...others] = collector.spans.filter((span) => span.name === name);
  if (first === undefined || others.length > 0) throw new Error(`${name}: not exactly one`);
  return first;
};
const pointsOf = (metric: string) => collector.points.filter((point) => point.metric === metric);

describe('spans', () => {
  it('of a job hang under one root, though each was sent by another process and the root came last', async () => {
    await sender().send([aStep()]);
    await sender().send([aStep({ fence: 4, calls: [] })]);
    await sender().send([anEnd]);
    const root = spanOf('invoke_agent refunds');
    expect(root.parent).toBeUndefined();
    expect(collector.spans.map(({ name }) => name)).toEqual([
      ...['execute_tool search', 'execute_tool refund', 'chat claude-haiku-5-5', 'chat claude-haiku-5-5'],
      'invoke_agent refunds',
    ]);
    for (const { parent, spanId, traceId } of collector.spans.filter((span) => span !== root))
      expect([parent, traceId, spanId === root.spanId]).toEqual([root.spanId, root.traceId, false]);
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(5);
    expect([root.startMs, root.endMs]).toEqual([NOW, NOW + 60_000]);
  });

  it('of a job that began long before this process have its own times', async () => {
    const old = { ...ended, createdAtMs: 1_700_000_000_000, endedAtMs: 1_700_000_060_000 };
    await sender().send([{ ...anEnd, job: jobFacts(old) }]);
    const { startMs, endMs } = spanOf('invoke_agent refunds');
    expect([startMs, endMs]).toEqual([old.createdAtMs, old.endedAtMs]);
  });

  it('of two jobs of one name, the second made anew, are two traces', async () => {
    const again = { ...ended, createdAtMs: NOW + 1 };
    await sender().send([anEnd, { ...anEnd, job: jobFacts(again) }]);
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(2);
  });

  it('of a request have the names of the conventions, cached tokens among the input, and what only Treadle knows', async () => {
    await sender().send([aStep()]);
    const chat = spanOf('chat claude-haiku-5-5');
    expect(chat).toMatchObject({ kind: 3, status: 0, startMs: NOW + 10_000, endMs: NOW + 15_000 });
    expect(chat.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-haiku-5-5',
      'gen_ai.request.max_tokens': 4_096,
      'gen_ai.response.finish_reasons': ['tool_use'],
      'gen_ai.usage.input_tokens': 950,
      'gen_ai.usage.output_tokens': 40,
      'gen_ai.usage.cache_creation.input_tokens': 50,
      'gen_ai.usage.cache_read.input_tokens': 700,
      'gen_ai.agent.name': 'refunds',
      'gen_ai.conversation.id': 'job_a',
      'treadle.tenant': 'acme',
      'treadle.batch.id': 'batch_b',
      'treadle.step': 2,
      'treadle.attempt': 1,
      'treadle.cost.usd': 0.001234,
      'treadle.reserved.usd': 0.009,
      'treadle.unsettled.usd': 0,
      'treadle.ceiling.usd': 0.25,
    });
  });

  it('of calls say which tool and which call, and no more than that one failed', async () => {
    await sender().send([aStep()]);
    const { kind, status, attributes, startMs, endMs } = spanOf('execute_tool refund');
    expect({ kind, status, startMs, endMs }).toEqual({
      kind: 1,
      status: 2,
      startMs: NOW + 9_000,
      endMs: NOW + 10_000,
    });
    expect(attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'refund',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': 'call_2_1',
      'error.type': 'tool_error',
      'gen_ai.agent.name': 'refunds',
      'gen_ai.conversation.id': 'job_a',
      'treadle.tenant': 'acme',
      'treadle.batch.id': 'batch_b',
      'treadle.step': 2,
      'treadle.attempt': 1,
    });
    expect(spanOf('execute_tool search')).toMatchObject({ status: 0 });
  });

  it('of the whole job say why it ended and what it cost', async () => {
    const failed = { ...ended, status: ending('configuration', 'x'), batchId: '' };
    await sender().send([
      anEnd,
      { type: 'ended', job: jobFacts({ ...failed, id: 'job_f' }), model: undefined },
    ]);
    const [good, bad] = collector.spans;
    expect(good?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.request.model': 'claude-haiku-5-5',
      'gen_ai.usage.input_tokens': 1_400,
      'gen_ai.usage.output_tokens': 60,
      'treadle.status': 'succeeded',
      'treadle.stop.reason': 'completed',
      'treadle.steps': 2,
      'treadle.cost.usd': 0.034,
      'treadle.unsettled.usd': 0.004,
      'treadle.ceiling.usd': 0.25,
    });
    expect(good?.status).toBe(0);
    expect(bad).toMatchObject({
      status: 2,
      attributes: { 'error.type': 'configuration', 'treadle.status': 'failed' },
    });
    expect(Object.keys(bad?.attributes ?? {}).join()).not.toMatch(/batch|request\.model/);
  });

  it('of a request without an answer are errors of the next step, and say what was left unsettled', async () => {
    const asked = {
      ...aStep().asked,
      stop: '',
      problem: 'timed out',
      usage: undefined,
      cost: 0,
    } as StepFacts['asked'];
    await sender().send([
      aStep({ event: 'model_unavailable', asked, calls: [], spent: 0, unsettled: 9_000 }),
    ]);
    const { status, attributes } = spanOf('chat claude-haiku-5-5');
    expect(status).toBe(2);
    expect(attributes).toMatchObject({
      'error.type': 'timed out',
      'treadle.step': 3,
      'treadle.unsettled.usd': 0.009,
    });
    expect(Object.keys(attributes).join()).not.toMatch(/usage|finish_reasons/);
  });

  it('name the service, and the function where there is one', async () => {
    await sender({ resource: { 'faas.name': 'worker-1' } }).send([anEnd]);
    expect(collector.spans[0]?.resource).toMatchObject({
      'service.name': 'treadle',
      'faas.name': 'worker-1',
    });
  });
});

describe('metrics', () => {
  it('are those of the conventions, with their bounds, and money and ends beside them', async () => {
    await sender().send([aStep({ unsettled: 500 }), anEnd]);
    const common = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'anthropic' };
    const labels = { 'gen_ai.agent.name': 'refunds', 'gen_ai.request.model': 'claude-haiku-5-5' };
    const bounds = expect.arrayContaining([1, 4, 16, 67_108_864]);
    expect(pointsOf('gen_ai.client.token.usage')).toEqual(
      [
        ['input', 950],
        ['output', 40],
      ].map(([type, sum]) => ({
        ...{ metric: 'gen_ai.client.token.usage', unit: '{token}', temporality: 1 },
        attributes: { ...common, ...labels, 'gen_ai.token.type': type },
        value: { sum, count: 1, bounds },
      })),
    );
    expect(pointsOf('gen_ai.client.operation.duration')).toEqual([
      {
        ...{ metric: 'gen_ai.client.operation.duration', unit: 's', temporality: 1 },
        attributes: { ...common, ...labels },
        value: { sum: 5, count: 1, bounds: expect.arrayContaining([0.01, 81.92]) },
      },
    ]);
    expect(pointsOf('treadle.cost.usd').map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ ...labels, 'treadle.cost.type': 'spent' }, 0.001234],
      [{ ...labels, 'treadle.cost.type': 'unsettled' }, 0.0005],
    ]);
    expect(pointsOf('treadle.jobs.ended')).toMatchObject([
      { value: 1, attributes: { 'treadle.stop.reason': 'completed', 'treadle.status': 'succeeded' } },
    ]);
  });

  it('are counted since the last time, or since the beginning where that is asked for', async () => {
    for (const [temporality, second] of [
      ['delta', 1],
      ['cumulative', 2],
    ] as const) {
      const one = sender({ temporality });
      await one.send([anEnd]);
      await one.send([anEnd]);
      expect(pointsOf('treadle.jobs.ended').map(({ value }) => value)).toEqual([1, second]);
      collector.points.length = 0;
    }
  });
});

describe('what is sent', () => {
  it('goes as JSON to two places under the endpoint, with the headers of the secret', async () => {
    const headers = { read: async () => 'x-key=a%20b, x-team=desk', forget: () => undefined };
    await sender({ endpoint: `${collector.endpoint}/otlp/`, headers }).send([aStep()]);
    expect(collector.requests.map(({ path }) => path).sort()).toEqual([
      '/otlp/v1/metrics',
      '/otlp/v1/traces',
    ]);
    for (const request of collector.requests)
      expect(request.headers).toMatchObject({
        ...{ 'content-type': 'application/json', 'x-key': 'a b', 'x-team': 'desk' },
      });
  });

  it('is a failure where one of both is refused, which forgets the secret and says nothing of what was answered', async () => {
    let forgotten = 0;
    const forget = (): void => {
      forgotten += 1;
    };
    const headers = { read: async () => 'x-key=old', forget };
    collector.answer = (response) => void response.writeHead(401).end('no such key: old');
    const failure = await sender({ headers })
      .send([aStep()])
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 401 });
    expect(forgotten).toBe(1);
  });

  it('is nothing where the secret cannot be read', async () => {
    const headers = { read: async () => Promise.reject(new Error('denied')), forget: () => undefined };
    await expect(sender({ headers }).send([aStep()])).rejects.toThrow('denied');
    expect(collector.requests).toEqual([]);
  });
});

it('headers are read as OpenTelemetry writes them, and what is no pair is left out', () => {
  expect(readHeaders('a=1,b = two words ,c=x%3Dy==,=3,d,,e=')).toEqual({
    a: '1',
    b: 'two words',
    c: 'x=y==',
    e: '',
  });
  expect(readHeaders('a=%zz')).toEqual({ a: '%zz' });
});

it('the SDK of the model makes no spans of its own beside ours, though others in the process have registered for some', async () => {
  const memory = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: memory })] }),
  );
  try {
    const traced: string[] = [];
    const answers: typeof fetch = async (_, init) => {
      traced.push(new Headers(init?.headers).get('traceparent') ?? 'none');
      return new Response('{}', { status: 529, headers: { 'content-type': 'application/json' } });
    };
    const model = createClaude({ apiKey: 'x', baseURL: 'http://model', fetch: answers });
    const request = {
      ...{ model: 'm', maxTokens: 1, system: 's', effort: undefined, dropBoundThinking: false },
    };
    const more = { tools: [], messages: [], conversation: 'c' };
    await model.ask({ ...request, ...more }, new AbortController().signal);
    trace.getTracer('theirs').startSpan('theirs').end();
    await sender().send([aStep()]);
    expect(traced).toEqual(['none']);
    expect(memory.getFinishedSpans().map(({ name }) => name)).toEqual(['theirs']);
    expect(collector.spans).toHaveLength(3);
  } finally {
    trace.disable();
    context.disable();
  }
});
