import { describe, expect, it } from 'vitest';
import {
  type BufferOptions,
  createTelemetryBuffer,
  MAX_FACTS,
  PAUSE_MS,
} from '../../src/adapters/telemetry-buffer.ts';
import { jobFacts } from '../../src/core/facts.ts';
import type { Fact } from '../../src/ports.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { aJob } from '../support/a-job.ts';

const fact = (id: string): Fact => ({ type: 'ended', job: jobFacts(aJob({ id })), model: undefined });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A buffer in front of `send`, and what came of it. */
function setup(send: (ids: readonly string[]) => Promise<void>, more: Partial<BufferOptions> = {}) {
  const clock = createVirtualClock();
  const problems: string[] = [];
  const sent: (readonly string[])[] = [];
  const sender = async () => ({
    send: async (facts: readonly Fact[]) => {
      const ids = facts.map(({ job }) => job.id);
      sent.push(ids);
      await send(ids);
    },
  });
  const failed = (problem: string): void => void problems.push(problem);
  return { telemetry: createTelemetryBuffer({ sender, clock, failed, ...more }), clock, problems, sent };
}

const well = async (): Promise<void> => undefined;
const hangs = (): Promise<never> => new Promise(() => undefined);

describe('telemetry that is kept until a flush', () => {
  it('is sent once, all together, and nothing is loaded or sent for nothing', async () => {
    let loaded = 0;
    const sender = async () => {
      loaded += 1;
      return { send: well };
    };
    const idle = setup(well, { sender });
    await idle.telemetry.flush(2_000);
    expect(loaded).toBe(0);
    const { telemetry, sent } = setup(well);
    telemetry.told(fact('a'));
    telemetry.told(fact('b'));
    await telemetry.flush(2_000);
    await telemetry.flush(2_000);
    expect(sent).toEqual([['a', 'b']]);
  });

  it('gives up a collector that hangs when the time is over, and asks nothing of it for a while', async () => {
    const { telemetry, clock, problems, sent } = setup(hangs);
    telemetry.told(fact('a'));
    let over = false;
    const flushed = telemetry.flush(2_000).then(() => {
      over = true;
    });
    await turn();
    await clock.advance(1_999);
    await turn();
    expect(over).toBe(false);
    await clock.advance(1);
    await flushed;
    telemetry.told(fact('b'));
    await telemetry.flush(2_000);
    expect([sent, problems]).toEqual([[['a']], ['timed out']]);
  });

  it('does not reject over one that fails, does not send the same again, and goes on after the pause', async () => {
    const refusal = Object.assign(new Error('said the collector'), { name: 'OTLPExporterError', code: 500 });
    let down = true;
    const { telemetry, clock, problems, sent } = setup(async () => {
      if (down) throw refusal;
    });
    telemetry.told(fact('a'));
    await telemetry.flush(2_000);
    telemetry.told(fact('b'));
    await telemetry.flush(2_000);
    down = false;
    await clock.advance(PAUSE_MS);
    telemetry.told(fact('c'));
    await telemetry.flush(2_000);
    expect(sent).toEqual([['a'], ['b', 'c']]);
    expect(problems).toEqual(['OTLPExporterError 500']);
  });

  it('does not reject where what sends cannot be loaded', async () => {
    const sender = async () => Promise.reject(new TypeError('no such module'));
    const { telemetry, problems } = setup(well, { sender });
    telemetry.told(fact('a'));
    await telemetry.flush(2_000);
    expect(problems).toEqual(['TypeError']);
  });

  it('is sent by one request at a time: who comes meanwhile sends what is left', async () => {
    let release = (): void => undefined;
    const { telemetry, sent } = setup(
      (ids) =>
        new Promise((resolve) => {
          if (ids.includes('a')) release = resolve;
          else resolve();
        }),
    );
    telemetry.told(fact('a'));
    const first = telemetry.flush(2_000);
    await turn();
    telemetry.told(fact('b'));
    const second = telemetry.flush(2_000);
    await turn();
    expect(sent).toEqual([['a']]);
    release();
    await Promise.all([first, second]);
    expect(sent).toEqual([['a'], ['b']]);
  });

  it('is waited for by a flush that has nothing of its own to send: afterwards the process may end', async () => {
    let release = (): void => undefined;
    const { telemetry } = setup(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    telemetry.told(fact('a'));
    void telemetry.flush(2_000);
    await turn();
    let over = false;
    const last = telemetry.flush(2_000).then(() => {
      over = true;
    });
    await turn();
    expect(over).toBe(false);
    release();
    await last;
  });

  it('is bounded: of more than it keeps, the oldest are dropped', async () => {
    const { telemetry, sent } = setup(well);
    for (let n = 0; n < MAX_FACTS + 2; n += 1) telemetry.told(fact(`j${n}`));
    await telemetry.flush(2_000);
    expect(sent[0]).toHaveLength(MAX_FACTS);
    expect(sent[0]?.[0]).toBe('j2');
  });
});
