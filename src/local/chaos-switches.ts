import { TerminalError } from '../core/errors.ts';

/** What goes wrong on purpose, as shares from 0 to below 1. */
export interface ChaosSwitches {
  /** Of invocations of a worker: its process dies in one. */
  readonly crash: number;
  /** Of received messages: delivered a second time at once. */
  readonly duplicate: number;
  /** Of requests to a server: done, but the answer never arrives. */
  readonly lostAnswer: number;
  /** Of requests to a server: refused for the moment, and not done. */
  readonly throttle: number;
}

export const noChaos: ChaosSwitches = { crash: 0, duplicate: 0, lostAnswer: 0, throttle: 0 };

const switches: Readonly<Record<string, keyof ChaosSwitches>> = {
  crash: 'crash',
  duplicate: 'duplicate',
  'lost-answer': 'lostAnswer',
  throttle: 'throttle',
};

function refuse(why: string): never {
  throw new TerminalError('usage', `--chaos ${why}`);
}

function readShare(name: string, value: string): number {
  const share = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (share >= 0 && share < 1) return share;
  return refuse(`${name}=${value}: a share is a number from 0 to below 1, as in ${name}=0.05`);
}

/**
 * Reads switches as they are written on a command line: `crash=0.05,duplicate=0.1,lost-answer=0.05,throttle=0.02`, each
 * at most once and in any order; those not named are 0. Throws `TerminalError` `usage` that names what is wrong.
 */
export function readChaosSwitches(text: string): ChaosSwitches {
  const read: Partial<Record<keyof ChaosSwitches, number>> = {};
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const at = part.indexOf('=');
    const name = (at === -1 ? part : part.slice(0, at)).trim();
    const field = Object.hasOwn(switches, name) ? switches[name] : undefined;
    if (field === undefined) {
      refuse(`"${part}": there is no such switch; the switches are ${Object.keys(switches).join(', ')}`);
    }
    if (at === -1) refuse(`${name}: its share is missing, as in ${name}=0.05`);
    if (read[field] !== undefined) refuse(`${name}: it is given twice`);
    read[field] = readShare(name, part.slice(at + 1).trim());
  }
  return { ...noChaos, ...read };
}
