import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import type { Sender } from '../telemetry-buffer.ts';
import type { ProviderName } from './attributes.ts';
import { createMetrics, type Temporality } from './metrics.ts';
import { createSpans } from './spans.ts';

export interface OtlpOptions {
  /** The base of OTLP over HTTP, to which `/v1/traces` and `/v1/metrics` are added. */
  readonly endpoint: string;
  /** As in `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,…`. @default that variable, which the exporters read themselves */
  readonly headers?: { readonly read: () => Promise<string>; readonly forget: () => void } | undefined;
  readonly provider: ProviderName;
  /** @default 'delta' */
  readonly temporality?: Temporality | undefined;
  /** What else the resource says of this process. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win. */
  readonly resource?: Readonly<Record<string, string>> | undefined;
}

/** After so long a request is given up by the exporter itself, whoever still waits for it. */
const TIMEOUT_MS = 2_000;

/** Sends facts as spans and metrics, in OTLP's JSON. Nothing is asked of the collector before there are any. */
export function createOtlpSender(options: OtlpOptions): Sender {
  const { headers, provider, temporality = 'delta' } = options;
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'treadle', ...options.resource }))
    .merge(detectResources({ detectors: [envDetector] }));
  const spans = createSpans(resource, provider);
  const metrics = createMetrics(resource, provider, temporality);
  const exporters = exportersOf(options);
  return {
    send: async (facts) => {
      metrics.add(facts);
      // The exporters may not fail over their headers.
      await headers?.read();
      try {
        const [{ resourceMetrics }, ended] = [await metrics.collect(), spans.of(facts)];
        const results = await Promise.allSettled([
          exported((then) => exporters.spans.export([...ended], then), ended.length),
          exported((then) => exporters.metrics.export(resourceMetrics, then), facts.length),
        ]);
        for (const result of results) if (result.status === 'rejected') throw result.reason;
      } catch (error) {
        // It may be the secret that was replaced.
        headers?.forget();
        throw error;
      }
    },
  };
}

function exportersOf({ endpoint, headers }: OtlpOptions) {
  const base = endpoint.replace(/\/+$/, '');
  const common = {
    timeoutMillis: TIMEOUT_MS,
    ...(headers === undefined ? {} : { headers: async () => readHeaders(await headers.read()) }),
  };
  return {
    spans: new OTLPTraceExporter({ ...common, url: `${base}/v1/traces` }),
    metrics: new OTLPMetricExporter({ ...common, url: `${base}/v1/metrics` }),
  };
}

interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** One export as a promise; nothing is sent for nothing. */
function exported(start: (then: (result: ExportResult) => void) => void, count: number): Promise<void> {
  if (count === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    start(({ code, error }) => (code === 0 ? resolve() : reject(error ?? new Error('the export failed'))));
  });
}

/** Parts that are no pair are left out: what stands there may be a secret, so no error may quote it. */
export function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((part) => {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim();
    return at < 1 || name === '' ? [] : [[name, decoded(part.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
