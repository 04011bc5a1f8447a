import type { HeadChange, HeadRule } from './head-rules.ts';
import { blocksOf, itemsBeforeStep, usesOf } from './job-watch.ts';
import { withOriginals } from './originals.ts';
import { hasEnded } from './records.ts';

const resumable = new Set([
  ...['max_steps', 'cost_ceiling', 'token_budget'],
  ...['consecutive_failures', 'deadline', 'pool_exhausted'],
]);

/** What the reconciler and the batch may still change of an ended job: when somebody looks at it, what is counted, its version. */
const bookkeeping: ReadonlySet<string> = new Set(['ve', 'ua', 'ab', 'du', 'ds', 'co']);
/** A follow-up raises the fence before it puts its message; a deletion says so, and ends the rights of sleepers. */
const fenced: ReadonlySet<string> = new Set([...bookkeeping, 'fe']);
const deleted: ReadonlySet<string> = new Set([...fenced, 'dd']);

function mayChange({ process: { wish } }: HeadChange): ReadonlySet<string> {
  if (wish?.type === 'follow up') return fenced;
  return wish?.type === 'delete' ? deleted : bookkeeping;
}

/** What an ended job that stays ended may lose or gain: nothing but the books kept about it. */
const final = (change: HeadChange): string | undefined => {
  const { process, before, after } = change;
  if (before === undefined || !hasEnded(before) || !hasEnded(after)) return undefined;
  const may = mayChange(change);
  const names = new Set([...Object.keys(before.raw), ...Object.keys(after.raw)]);
  for (const name of names) {
    if (may.has(name)) continue;
    if (JSON.stringify(before.raw[name]) !== JSON.stringify(after.raw[name]))
      return `${process.actor} changed "${name}" of an ended job`;
  }
  if (before.raw['dd'] !== true && after.raw['dd'] === true && after.fence === before.fence)
    return 'a deletion leaves the fence as it was: a sleeper may go on writing';
  return undefined;
};

/** An ended job goes on only because a person asked for it, and once for each time they did. */
const asked = ({ process, watch, before, after }: HeadChange): string | undefined => {
  if (before === undefined || !hasEnded(before) || hasEnded(after)) return undefined;
  const { wish, granted } = process;
  if (before.raw['dd'] === true) return 'a deleted job goes on';
  if (granted) return 'one request lets a job go on twice';
  switch (wish?.type) {
    case 'extend':
      return resumable.has(before.stop) ? undefined : `a job that ended with ${before.stop} was extended`;
    case 'retry':
      return 'pf'.includes(before.state) ? undefined : `a job that ended with ${before.stop} was retried`;
    case 'follow up': {
      const known = wish.key === undefined ? undefined : watch.followUps.get(wish.key);
      return known && `a follow-up under ${wish.key} is taken twice, at items ${known.at} and ${after.count}`;
    }
    default:
      return `${process.actor} lets an ended job go on`;
  }
};

/** Whoever lets it go on gives it the time, and leaves the transcript as it was, or cut back to where the retry says. */
const transcript = (change: HeadChange): string | undefined => {
  const { process, watch, before, after, read } = change;
  if (before === undefined || !hasEnded(before) || hasEnded(after)) return undefined;
  const { wish } = process;
  if (wish?.type === 'extend') {
    return after.count === before.count
      ? undefined
      : `an extension made ${after.count} items of ${before.count}`;
  }
  if (after.deadlineMs !== after.updatedMs + after.seconds * 1000)
    return 'a job goes on, and its clock does not start anew';
  if (wish?.type === 'retry') {
    const due = wish.fromStep === undefined ? before.count : itemsBeforeStep(watch, wish.fromStep);
    return after.count === due
      ? undefined
      : `a retry from step ${wish.fromStep} leaves ${after.count} items, ${due} stand before it`;
  }
  if (wish?.type !== 'follow up') return undefined;
  if (after.count !== before.count + 1) return `a follow-up made ${after.count} items of ${before.count}`;
  const said = blocksOf(read(after.count), 'user');
  if (withOriginals(said.at(-1)?.['text'], read, after.count) !== wish.content)
    return 'a follow-up does not end with what was said';
  const open = watch.items.at(-1)?.kept === true ? usesOf(blocksOf(read(before.count), 'reply')) : [];
  const answered = said.slice(0, -1).map((block) => block['tool_use_id']);
  return answered.join() === open.map(({ id }) => id).join()
    ? undefined
    : `a follow-up answers [${answered.join()}], open were [${open.map(({ id }) => id).join()}]`;
};

/** A step whose `once` call has taken effect is never taken back: the model would ask for it again. */
const takenBack = ({ watch, before, after }: HeadChange): string | undefined => {
  if (before === undefined || after.count >= before.count) return undefined;
  const last = watch.items.slice(0, after.count).findLast(({ replied }) => replied);
  const lost = [...watch.effects].find((born) => born > (last?.born ?? -1));
  return lost === undefined
    ? undefined
    : `a retry takes back the step whose once call (of fence ${lost}) has taken effect`;
};

export const reopenRules: readonly HeadRule[] = [
  { invariant: '6 final is final', check: final },
  { invariant: '6 final is final', check: asked },
  { invariant: '5 transcript', check: transcript },
  { invariant: '3 effects', check: takenBack },
];
