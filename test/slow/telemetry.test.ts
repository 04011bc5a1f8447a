import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startCollector } from '../support/otlp-collector.ts';
import { piecesOf } from './lambda-runtime/log-lines.ts';
import { cleanEnvironment, newFolder, projectFile, start } from './processes.ts';

interface Summary {
  readonly modelCalls: number;
  readonly jobs: { readonly succeeded: number; readonly awaitingApproval: number };
  readonly cost: { readonly spentUsd: number };
}

async function triage(endpoint: string) {
  const environment = cleanEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: 'desk' });
  const { code, stdout, stderr } = await start(['triage', '--json', '--out', newFolder()], environment)
    .finished;
  return { code, stderr, summary: JSON.parse(stdout) as Summary };
}

it('triage tells a collector of every step and every end, in money to the cent of what it says itself, and no words', async () => {
  const collector = await startCollector();
  const { code, stderr, summary } = await triage(collector.endpoint);
  await collector.close();
  expect([code, stderr.includes('telemetry')]).toEqual([0, false]);
  const { spans, points, requests } = collector;
  const roots = spans.filter(({ parent }) => parent === undefined);
  const chats = spans.filter(({ name }) => name.startsWith('chat '));
  expect(roots).toHaveLength(summary.jobs.succeeded);
  expect(chats).toHaveLength(summary.modelCalls);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(
    summary.jobs.succeeded + summary.jobs.awaitingApproval,
  );
  expect(spans[0]).toMatchObject({
    resource: { 'service.name': 'desk' },
    attributes: { 'gen_ai.provider.name': 'scripted' },
  });
  const spent = points.filter(({ metric }) => metric === 'treadle.cost.usd');
  expect(spent.reduce((sum, { value }) => sum + Number(value), 0)).toBeCloseTo(summary.cost.spentUsd, 6);
  const pieces = readFileSync(projectFile('examples/tickets.csv'), 'utf8')
    .split('\n')
    .slice(1)
    .flatMap(piecesOf);
  expect(pieces.length).toBeGreaterThan(500);
  const sent = requests.map(({ body }) => body).join();
  expect(pieces.filter((piece) => sent.includes(piece))).toEqual([]);
});

it.each(['hangs', 'answers 500'])(
  'triage does the same work where the collector %s, and says so',
  async (how) => {
    const collector = await startCollector();
    collector.answer = (response) =>
      void (how === 'hangs' || response.writeHead(500).end('a secret of the collector'));
    const { code, stderr, summary } = await triage(collector.endpoint);
    await collector.close();
    expect(code).toBe(0);
    expect(summary.jobs).toMatchObject({ succeeded: 55, awaitingApproval: 5 });
    expect(stderr).toContain('Warning: telemetry was not sent: ');
    expect(stderr).not.toContain('a secret');
  },
);
