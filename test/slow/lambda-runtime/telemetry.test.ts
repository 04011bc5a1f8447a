import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measure } from '../../../scripts/size/measure.ts';
import { zipFolder } from '../../../scripts/size/zip.ts';
import { type Bundled, bundleFunctions } from '../../../src/bundle.ts';
import { type Collector, startCollector } from '../../support/otlp-collector.ts';
import { type ModelServer, newFolder, startModel } from '../processes.ts';
import { type Account, openAccount } from './account.ts';
import { linesOf } from './log-lines.ts';

const telling = bundleFunctions({ outDir: newFolder(), telemetry: true });

it('only a bundle that is to send telemetry holds the SDK for it, and none loads it at the start', () => {
  const without = bundleFunctions({ outDir: newFolder() });
  const otel = ({ metafile }: Bundled): number =>
    Object.keys(metafile.inputs).filter((path) => /opentelemetry\/(sdk|exporter|otlp)/.test(path)).length;
  expect(otel(without)).toBe(0);
  expect(otel(telling)).toBeGreaterThan(10);
  for (const name of ['worker', 'api', 'reconciler'] as const) {
    const more = measure(telling, name).startBytes - measure(without, name).startBytes;
    expect(more, `${name}: what its start grows by`).toBeLessThan(8_000);
  }
  expect(measure(telling, 'dead-letter').allBytes).toBe(measure(without, 'dead-letter').allBytes);
  const { startBytes, zipBytes } = measure(telling, 'worker');
  expect(startBytes).toBeLessThan(560_000);
  expect(zipBytes).toBeLessThan(270_000);
});

describe('functions that are stopped between events', () => {
  let collector: Collector;
  let model: ModelServer;
  let account: Account;
  beforeAll(async () => {
    collector = await startCollector();
    model = await startModel();
    account = await openAccount({
      archiveOf: (name) => zipFolder(telling.folderOf(name)),
      model: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'placeholder' },
      ...{ recursiveLoop: 'Allow', environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint } },
    });
  });
  afterAll(async () => {
    await account?.close();
    await model?.stop();
    await collector?.close();
  });

  const submit = async (input: string): Promise<string> => {
    const made = await account.send({ method: 'POST', path: '/jobs', body: { agent: 'triage', input } });
    expect(made.status).toBe(202);
    return String(made.json['id']);
  };
  const rootOf = (id: string) =>
    collector.spans.find(
      ({ parent, attributes }) => parent === undefined && attributes['gen_ai.conversation.id'] === id,
    );
  /** The root span of a job, once it has come. */
  async function ended(id: string) {
    for (let tries = 150; tries > 0 && rootOf(id) === undefined; tries -= 1) await sleep(200);
    const root = rootOf(id);
    if (root === undefined) throw new Error(`no root for ${id}`);
    return root;
  }

  it('hand over the spans of a step before they answer, all of one trace', async () => {
    const id = await submit('Where is my order ORD-1001? It has not come.');
    const root = await ended(id);
    expect(root).toMatchObject({
      name: 'invoke_agent triage',
      attributes: { 'treadle.stop.reason': 'completed' },
    });
    expect(root.resource).toMatchObject({ 'service.name': 'treadle', 'cloud.provider': 'aws' });
    const mine = collector.spans.filter(({ traceId }) => traceId === root.traceId);
    const chats = mine.filter(({ name }) => name === 'chat claude-haiku-5-5');
    expect(chats).toHaveLength(Number(root.attributes['treadle.steps']));
    for (const { parent } of mine.filter((span) => span !== root)) expect(parent).toBe(root.spanId);
    const total = chats.reduce((sum, { attributes }) => sum + Number(attributes['treadle.cost.usd']), 0);
    expect(total).toBeCloseTo(Number(root.attributes['treadle.cost.usd']), 6);
  });

  it('tell of a job that the API ends', async () => {
    const stop = { method: 'POST', path: '/control/stop', body: { scope: 'tenant' } };
    expect((await account.send(stop)).status).toBe(200);
    const id = await submit('Nobody reads this.');
    expect((await account.send({ method: 'POST', path: `/jobs/${id}/cancel` })).json['status']).toBe(
      'cancelled',
    );
    expect(await ended(id)).toMatchObject({
      attributes: { 'treadle.status': 'cancelled', 'treadle.steps': 0 },
    });
    expect((await account.send({ ...stop, path: '/control/start' })).status).toBe(200);
  });

  it('go on with their work while a collector hangs, and say so once', async () => {
    collector.answer = () => undefined;
    const id = await submit('Where is my order ORD-1002? It has not come.');
    for (let tries = 100; ; tries -= 1) {
      const { json } = await account.send({ path: `/jobs/${id}` });
      if (json['status'] === 'succeeded') break;
      if (tries === 0) throw new Error(`it is ${String(json['status'])}`);
      await sleep(200);
    }
    await account.send({ path: '/health' });
    const warnings = linesOf(account.worker.logs()).filter(
      ({ message }) => message === 'telemetry was not sent',
    );
    expect(warnings).toMatchObject([{ level: 'warn', problem: 'timed out' }]);
  });

  it('send and log nothing of what a ticket says', () => {
    const sent = collector.requests.map(({ body }) => body).join();
    const logged = Object.values(account.functions)
      .map((one) => one.logs())
      .join();
    for (const word of ['ORD-1001', 'It has not come', 'Nobody reads', 'placeholder'])
      expect([sent.includes(word), logged.includes(word)]).toEqual([false, false]);
    expect(linesOf(account.worker.logs()).filter(({ message }) => message === 'step').length).toBeGreaterThan(
      2,
    );
  });
});
