import { clipped } from '../tickets/padded.ts';
import type { OnRead } from './open-files.ts';
import { boardWidth, type Terminal } from './terminal.ts';

const QUIET_MS = 2_000;
const PLAIN_EVERY_MS = 10_000;
const LIVE_EVERY_MS = 200;
const MEGABYTE = 1_000_000;

/** Says how far the reading of files is, once it takes longer than two seconds. */
export function createReadProgress(
  terminal: Terminal,
  quiet: boolean,
  now: () => number,
): { readonly onRead: OnRead; readonly end: () => void } {
  const startedMs = now();
  let shownMs = startedMs + QUIET_MS - (terminal.live ? LIVE_EVERY_MS : PLAIN_EVERY_MS);
  let drawn = false;
  return {
    onRead: (file, readBytes, ofBytes) => {
      if (quiet || now() - shownMs < (terminal.live ? LIVE_EVERY_MS : PLAIN_EVERY_MS)) return;
      shownMs = now();
      const [read, all] = [readBytes, ofBytes].map((bytes) => Math.round(bytes / MEGABYTE));
      const text = `Reading ${file}: ${read} of ${all} MB`;
      terminal.err(terminal.live ? `\r\u001b[K${clipped(text, boardWidth(terminal))}` : `${text}\n`);
      drawn = terminal.live;
    },
    end: () => {
      if (drawn) terminal.err('\r\u001b[K');
      drawn = false;
    },
  };
}
