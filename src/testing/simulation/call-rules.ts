import type { HeadChange, HeadRule } from './head-rules.ts';
import { blocksOf, usesOf } from './job-watch.ts';
import { withOriginals } from './originals.ts';

/** What the model is told of a `once` call is what its journal holds. */
const told = ({ before, after, read, callAt, toolOf }: HeadChange): string | undefined => {
  const was = before?.pending;
  if (before === undefined || was === undefined || after.count <= before.count) return undefined;
  const uses = usesOf(blocksOf(read(was.item), 'reply'));
  const results = blocksOf(read(before.count + 1), 'user').filter(({ type }) => type === 'tool_result');
  for (const [place, result] of results.entries()) {
    const name = String(uses[place]?.['name']);
    if (toolOf(name)?.policy !== 'once' || !'RA'.includes(was.states[place] ?? '?')) continue;
    const failed = result['is_error'] === true;
    const journal = callAt(was.born, place);
    if (journal === undefined) {
      if (!failed) return `a call of ${name} is told done, and its journal is empty`;
      continue;
    }
    const known = journal['state'] === 'done';
    const right = known
      ? withOriginals(result['content'], read, before.count + 1) === journal['text'] &&
        failed === journal['isError']
      : failed && String(result['content']).startsWith('outcome unknown');
    if (!right || journal['state'] === 'intent')
      return `the model is told "${String(result['content'])}" of a call of ${name}, its journal says ${String(journal['state'])}`;
  }
  return undefined;
};

/** An answer that stands beside other calls ends its job only if all of them succeeded. */
const accepted = ({ before, after, read }: HeadChange): string | undefined => {
  if (after.state !== 's' || before?.pending?.states.includes('V') !== true) return undefined;
  const results = blocksOf(read(after.count), 'user');
  return read(after.count)?.['stop'] === '' && results.some((result) => result['is_error'] === true)
    ? 'an answer was accepted, and a call beside it had failed'
    : undefined;
};

export const callRules: readonly HeadRule[] = [
  { invariant: '3 effects', check: told },
  { invariant: '3 effects', check: accepted },
];
