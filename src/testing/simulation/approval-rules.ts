import type { HeadChange, HeadRule } from './head-rules.ts';
import { blocksOf, callWatch, usesOf } from './job-watch.ts';
import { plainBlocks } from './originals.ts';
import { hasEnded, type PendingSeen } from './records.ts';

/** When a call of this tool that was asked about at that time expires. */
function expiryOf({ toolOf }: HeadChange, sinceMs: number, tool: string): number {
  return sinceMs + (toolOf(tool)?.gate?.expiresInSeconds ?? 0) * 1000;
}

/** The tools of the calls of a reply, in order. */
function toolsOf({ read }: HeadChange, { item }: PendingSeen): readonly string[] {
  return usesOf(blocksOf(read(item), 'reply')).map((use) => String(use['name']));
}

/** Every change of a call's letter, and who made it. */
const approvals = (change: HeadChange): string | undefined => {
  const { before, after, process, nowMs } = change;
  const was = before?.pending;
  const is = after.pending;
  if (is !== undefined && is.born !== was?.born && /[ADX]/.test(is.states)) {
    // A retry that takes steps back finds the calls of an earlier reply as people had left them.
    const back = after.count <= (before?.count ?? 0) && change.watch.letters.get(is.born) === is.states;
    return back ? undefined : 'a call was decided before it was asked';
  }
  const anew = before?.stop === 'approval_expired' && !hasEnded(after) && process.wish?.type === 'retry';
  if (was === undefined || is === undefined || was.born !== is.born) return undefined;
  const uses = usesOf(plainBlocks(change.read(was.item)));
  for (const [place, letter] of [...is.states].entries()) {
    const old = was.states[place];
    if (old === letter || (anew && old === 'X' && letter === 'W')) continue;
    if (old !== 'W') return `a call that was ${old} became ${letter}`;
    const use = uses[place];
    const tool = String(use?.['name']);
    const expiresMs = expiryOf(change, was.sinceMs, tool);
    if (letter === 'X') {
      if (process.actor !== 'reconciler' || nowMs < expiresMs) return 'a call expired before its time';
      continue;
    }
    if (process.meant !== `call_${was.born}_${place} ${letter}`) {
      return `${process.actor} meant "${process.meant}" and set call_${was.born}_${place} to ${letter}`;
    }
    if (is.decidedMs >= expiresMs) return 'a call was decided after its time';
    if (letter === 'A') callWatch(change.watch, tool, use?.['input']).approved += 1;
  }
  return undefined;
};

/** A job waits exactly while a call of its waits, and no longer than the first of them may. */
const waits = (change: HeadChange): string | undefined => {
  const { after } = change;
  if (hasEnded(after)) return undefined;
  const pending = after.pending?.states.includes('W') === true ? after.pending : undefined;
  if (after.state !== 'w')
    return pending === undefined ? undefined : 'a job goes on while a call of its waits for a person';
  if (pending === undefined) return 'a job waits for a person, and none of its calls does';
  const tools = toolsOf(change, pending);
  for (const [place, letter] of [...pending.states].entries()) {
    if (letter === 'W' && pending.expiresMs > expiryOf(change, pending.sinceMs, tools[place] ?? ''))
      return 'a job waits for longer than one of its calls may';
  }
  return undefined;
};

/** Calls that nobody decided in time end their job where, and only where, one of their tools asks for that. */
const expiry = (change: HeadChange): string | undefined => {
  const { before, after, toolOf } = change;
  const was = before?.pending;
  const is = after.pending;
  if (was === undefined || is === undefined || was.born !== is.born) return undefined;
  const stops = toolsOf(change, was).some(
    (tool, place) =>
      was.states[place] === 'W' && is.states[place] === 'X' && toolOf(tool)?.gate?.onExpiry === 'stop',
  );
  if (before !== undefined && hasEnded(before)) return undefined;
  if (stops === (after.stop === 'approval_expired')) return undefined;
  return stops
    ? 'a call expired that should end its job'
    : 'a job ended, and none of its tools asks for that';
};

export const approvalRules: readonly HeadRule[] = [
  { invariant: '8 approvals', check: approvals },
  { invariant: '8 approvals', check: waits },
  { invariant: '8 approvals', check: expiry },
];
