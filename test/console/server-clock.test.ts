import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countdown } from '../../src/console/model/approvals.ts';
import { type Ahead, aheadAfter, correctionMs, type Heard } from '../../src/console/model/server-clock.ts';
import { hearTime, now } from '../../src/console/now.ts';

const SERVER_MS = Date.parse('2026-03-01T12:00:00Z');
const DAY_MS = 86_400_000;

/** An answer of a server that is `skewMs` ahead of the browser, `atMs` after twelve by the server. */
const answer = (skewMs: number, atMs = 0, tookMs = 20) => ({
  date: new Date(SERVER_MS + atMs).toUTCString(),
  askedMs: SERVER_MS + atMs - skewMs - tookMs / 2,
  heardMs: SERVER_MS + atMs - skewMs + tookMs / 2,
});
const learnt = (...answers: readonly Heard[]): number =>
  correctionMs(answers.reduce<Ahead | undefined>(aheadAfter, undefined));

describe('the clock of the server', () => {
  it.each([DAY_MS, -DAY_MS, 90_000, -90_000, 2_000, -2_000])(
    'is known to a second after one answer: %i ms ahead',
    (skewMs) => {
      for (const atMs of [0, 1, 500, 999])
        expect(Math.abs(learnt(answer(skewMs, atMs)) - skewMs)).toBeLessThanOrEqual(510);
    },
  );

  it('is taken for the own one while both may be the same', () => {
    for (const atMs of [0, 1, 500, 999]) expect(learnt(answer(0, atMs))).toBe(0);
  });

  it('is known better by every answer, however slow a later one is', () => {
    const many = [0, 2_250, 4_500, 6_750, 9_000].map((atMs) => answer(DAY_MS, atMs));
    expect(Math.abs(learnt(...many) - DAY_MS)).toBeLessThan(150);
    expect(learnt(...many, answer(DAY_MS, 40_000, 30_000))).toBe(learnt(...many));
  });

  it('is learnt anew where one of the two is set', () => {
    expect(Math.abs(learnt(answer(DAY_MS), answer(60_000, 4_000)) - 60_000)).toBeLessThanOrEqual(510);
  });

  it('is not learnt from an answer that does not say it', () => {
    expect(learnt({ ...answer(DAY_MS), date: null }, { ...answer(DAY_MS), date: 'soon' })).toBe(0);
    const known = learnt(answer(DAY_MS));
    expect(learnt(answer(DAY_MS), { ...answer(0), askedMs: 2, heardMs: 1 })).toBe(known);
  });
});

describe('the time on the page', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['ahead', -DAY_MS],
    ['behind', DAY_MS],
  ])('leaves a call as long as the server gives it where the browser is a day %s', (_, skewMs) => {
    vi.setSystemTime(SERVER_MS - skewMs);
    const expiresAt = new Date(SERVER_MS + 23_000).toISOString();
    hearTime(answer(skewMs));
    expect(countdown(expiresAt, now.value)).toMatchObject({
      over: false,
      text: expect.stringMatching(/^2[234] s left$/),
    });
  });
});
