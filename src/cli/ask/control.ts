import { printedJson } from '../../core/printed.ts';
import { exitCode } from '../exit-codes.ts';
import { hint } from '../hint.ts';
import type { Asking } from './asking.ts';
import { confirmed } from './confirm.ts';

export interface SwitchOptions {
  readonly everything: boolean;
  readonly yes: boolean;
}

/** Turns the kill switch on or off, and says plainly what that means. */
export async function switchAll(
  asking: Asking,
  name: 'stop' | 'start',
  { everything, yes }: SwitchOptions,
): Promise<number> {
  const { client, terminal, json, endpoint } = asking;
  const whose = everything ? 'every tenant' : 'your tenant';
  const ask = name === 'stop' && everything && !yes;
  if (ask && !(await confirmed(asking, `Stop the work of every tenant of ${endpoint}?`))) {
    terminal.err('Nothing is stopped.\n');
    return exitCode.error;
  }
  const scope = everything ? 'all' : 'tenant';
  const switched = await (name === 'stop' ? client.stopAll(scope) : client.startAll(scope));
  if (json) terminal.out(`${printedJson(switched)}\n`);
  else terminal.out(name === 'stop' ? stopped(whose, everything, endpoint) : started(whose, everything));
  return exitCode.done;
}

const stopped = (whose: string, everything: boolean, endpoint: string): string =>
  `Stopped: within seconds nothing of ${whose} is admitted, and no model or tool is called. Nothing is lost: it waits.\n` +
  `${hint(`start-all${everything ? ' --everything' : ''}`, endpoint)} lets it go on.\n`;

const started = (whose: string, everything: boolean): string =>
  `Started: the work of ${whose} goes on within three minutes, most of it within one.\n${everything ? 'A tenant that was stopped by itself stays so until it is started by itself.\n' : ''}`;
