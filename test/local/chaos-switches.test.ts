import { describe, expect, it } from 'vitest';
import { readChaosSwitches } from '../../src/local/chaos-switches.ts';

describe('the chaos switches', () => {
  it('reads each switch by its name, in any order', () => {
    expect(readChaosSwitches('crash=0.05,duplicate=0.1,lost-answer=0.04,throttle=0.02')).toEqual({
      crash: 0.05,
      duplicate: 0.1,
      lostAnswer: 0.04,
      throttle: 0.02,
    });
    expect(readChaosSwitches(' throttle = .5 , crash=0 ')).toEqual({
      crash: 0,
      duplicate: 0,
      lostAnswer: 0,
      throttle: 0.5,
    });
  });

  it.each([
    ['', '"": there is no such switch; the switches are crash, duplicate, lost-answer, throttle'],
    ['crsh=0.1', '"crsh=0.1": there is no such switch; the switches are crash, duplicate'],
    ['lostAnswer=0.1', '"lostAnswer=0.1": there is no such switch'],
    ['toString=0.1', '"toString=0.1": there is no such switch'],
    ['crash=0.1,', '"": there is no such switch'],
    ['crash', 'crash: its share is missing, as in crash=0.05'],
    ['crash=', 'crash=: a share is a number from 0 to below 1'],
    ['crash=often', 'crash=often: a share is a number from 0 to below 1'],
    ['crash=5%', 'crash=5%: a share is a number from 0 to below 1'],
    ['crash=-0.1', 'crash=-0.1: a share is a number from 0 to below 1'],
    ['crash=1', 'crash=1: a share is a number from 0 to below 1, as in crash=0.05'],
    ['crash=1e-1', 'crash=1e-1: a share is a number from 0 to below 1'],
    ['crash=0.1,throttle=0.1,crash=0.2', 'crash: it is given twice'],
  ])('refuses "%s" and says why', (text, why) => {
    expect(() => readChaosSwitches(text)).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(`--chaos ${why}`) }),
    );
  });
});
