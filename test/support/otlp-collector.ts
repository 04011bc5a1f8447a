import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { listen, readBody } from '../../src/local/local-server.ts';

export type Values = Readonly<Record<string, unknown>>;

/** A span as it came, with plain values. */
export interface SeenSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for a root. */
  readonly parent: string | undefined;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  /** 0 unset, 2 an error. */
  readonly status: number;
  readonly attributes: Values;
  readonly resource: Values;
}

export interface SeenPoint {
  readonly metric: string;
  readonly unit: string;
  /** 1 delta, 2 cumulative. */
  readonly temporality: number;
  readonly attributes: Values;
  /** Of a sum its value; of a histogram sum, count and bounds. */
  readonly value: unknown;
}

export interface Collector {
  readonly endpoint: string;
  readonly spans: SeenSpan[];
  readonly points: SeenPoint[];
  readonly requests: {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }[];
  /** What is done with requests from now on: taken unless told otherwise. */
  answer: (response: ServerResponse) => void;
  readonly close: () => Promise<void>;
}

/** A collector that speaks OTLP over HTTP in JSON, on a free port of this machine. */
export async function startCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const body = String((await readBody(request)) ?? '');
    const path = request.url ?? '';
    collector.requests.push({ path, headers: request.headers, body });
    if (path.endsWith('/v1/traces')) collector.spans.push(...spansIn(JSON.parse(body)));
    if (path.endsWith('/v1/metrics')) collector.points.push(...pointsIn(JSON.parse(body)));
    collector.answer(response);
  });
  const collector: Collector = {
    endpoint: `http://127.0.0.1:${await listen(server)}`,
    ...{ spans: [], points: [], requests: [] },
    answer: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly Value[] };
}
type Pairs = readonly { readonly key: string; readonly value: Value }[];

function plain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(plain);
  return stringValue ?? doubleValue ?? boolValue ?? (intValue === undefined ? undefined : Number(intValue));
}

const valuesOf = (pairs: Pairs = []): Values =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));
const msOf = (nanos: string): number => Number(BigInt(nanos) / 1_000_000n);

type Names = 'name' | 'traceId' | 'spanId' | 'startTimeUnixNano' | 'endTimeUnixNano';
interface SentSpan extends Readonly<Record<Names, string>> {
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly attributes: Pairs;
}
interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Pairs };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

function spansIn({ resourceSpans }: Traces): readonly SeenSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, kind, status, attributes, ...times }) => ({
        ...{ name, traceId, spanId, parent: parentSpanId, kind, status: status.code },
        ...{ startMs: msOf(times.startTimeUnixNano), endMs: msOf(times.endTimeUnixNano) },
        ...{ attributes: valuesOf(attributes), resource: valuesOf(resource.attributes) },
      })),
    ),
  );
}

interface Points {
  readonly aggregationTemporality: number;
  readonly dataPoints: readonly {
    readonly attributes: Pairs;
    readonly [value: string]: unknown;
  }[];
}
interface Measured {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly {
        readonly name: string;
        readonly unit: string;
        readonly sum?: Points;
        readonly histogram?: Points;
      }[];
    }[];
  }[];
}

function pointsIn({ resourceMetrics }: Measured): readonly SeenPoint[] {
  const all = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  return all.flatMap(({ name, unit, sum, histogram }) =>
    ((sum ?? histogram)?.dataPoints ?? []).map((point) => ({
      ...{ metric: name, unit, temporality: (sum ?? histogram)?.aggregationTemporality ?? 0 },
      attributes: valuesOf(point.attributes),
      value: sum
        ? (point['asDouble'] ?? Number(point['asInt']))
        : { sum: point['sum'], count: Number(point['count']), bounds: point['explicitBounds'] },
    })),
  );
}
