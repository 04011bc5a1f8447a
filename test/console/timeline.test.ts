import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../src/console/model/timeline.ts';
import { aStep } from './a-step.ts';

const at = (ms: number): string => new Date(1_800_000_000_000 + ms).toISOString();
const madeAt = at(0);

describe('the timeline of a job', () => {
  it('places queue, tools and model of each step one after the other', () => {
    const { rows } = timelineOf([aStep(1, { at: at(100), ms: { queue: 20, tools: 30, model: 50 } })], madeAt);
    expect(rows[0]?.stretches).toEqual([
      { phase: 'queue', ms: 20, from: 0, width: 20 },
      { phase: 'tools', ms: 30, from: 20, width: 30 },
      { phase: 'model', ms: 50, from: 50, width: 50 },
    ]);
  });

  it('cuts the wait for a person short, and says how long it was', () => {
    const steps = [
      aStep(1, { at: at(1_000), ms: { model: 1_000 } }),
      aStep(2, { at: at(3_602_000), ms: { model: 1_000 } }),
    ];
    const { rows, waitedMs, busyMs } = timelineOf(steps, madeAt);
    expect([waitedMs, busyMs]).toEqual([3_600_000, 2_000]);
    expect(rows[1]?.waitedMs).toBe(3_600_000);
    expect(rows[1]?.stretches[0]?.width).toBeGreaterThan(48);
  });

  it('shows what was waited for before the first step too', () => {
    const { rows, waitedMs, busyMs } = timelineOf(
      [aStep(1, { at: at(61_000), ms: { model: 1_000 } })],
      madeAt,
    );
    expect([rows[0]?.waitedMs, waitedMs, busyMs]).toEqual([60_000, 60_000, 1_000]);
  });

  it('keeps everything on the line, whatever the times say', () => {
    const steps = [50, 40, 10, 4_000].map((ms, place) =>
      aStep(place + 1, { at: at(ms), ms: { queue: 30, model: 30, tools: 30 } }),
    );
    for (const { stretches } of timelineOf(steps, madeAt).rows) {
      for (const { from, width } of stretches) {
        expect(from).toBeGreaterThanOrEqual(0);
        expect(from + width).toBeLessThanOrEqual(100.000001);
      }
    }
  });

  it('marks each attempt of unknown outcome before what is known of its step', () => {
    const model = { attempts: 3, unsettledUsd: 0.003, unsettledEachUsd: [0.001, 0.002] };
    const steps = [
      aStep(1, { at: at(500), ms: { model: 500 }, model }),
      aStep(2, { at: at(1_000), ms: { model: 500 }, model }),
    ];
    const { rows } = timelineOf(steps, madeAt);
    expect(rows.map(({ lost }) => lost)).toEqual([
      [0, 1],
      [48, 49],
    ]);
    expect(rows[0]?.tries).toBe(
      'after 3 attempts, 2 attempts of unknown outcome left $0.003000 unsettled: $0.001000, $0.002000',
    );
  });

  it('is empty for a job without steps, and draws nothing for steps that took no time', () => {
    expect(timelineOf([], madeAt)).toMatchObject({ rows: [], busyMs: 0, waitedMs: 0 });
    expect(timelineOf([aStep(1)], madeAt).rows[0]?.stretches).toEqual([]);
  });
});
