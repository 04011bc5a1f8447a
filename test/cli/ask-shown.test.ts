import { expect, it } from 'vitest';
import { longSpan, span } from '../../src/cli/ask/shown.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

it.each([
  [-SECOND, '0 s', '0 s'],
  [59 * SECOND, '59 s', '59 s'],
  [MINUTE, '1 min', '1 min'],
  [139 * SECOND, '2 min', '2 min 19 s'],
  [HOUR - 1, '59 min', '59 min 59 s'],
  [HOUR + 30 * SECOND, '1 h', '1 h'],
  [DAY - MINUTE, '23 h', '23 h 59 min'],
  [3 * DAY - MINUTE, '2 d', '2 d 23 h'],
])('says %i ms as %s, and with what is left of it as %s', (ms, short, long) => {
  expect([span(ms), longSpan(ms)]).toEqual([short, long]);
});
