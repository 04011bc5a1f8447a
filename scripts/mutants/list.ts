import type { Edit } from '../simulate/bundle.ts';

/** A rule of the system taken out by one line, which a check must notice. */
export interface Mutant extends Edit {
  /** What is broken, as a sentence. */
  readonly sentence: string;
  /** The rule of the protocol that it takes out. */
  readonly rule: string;
  /** The test that kills it, where the simulation does not look for it. */
  readonly test?: { readonly file: string; readonly name: string };
}

const commit = 'src/app/commit.ts';
const evolve = 'src/core/evolve.ts';
const ledger = 'src/core/ledger.ts';

export const mutants: readonly Mutant[] = [
  {
    sentence: 'Version and fence are taken as proof of one’s own commit.',
    rule: 'owner token',
    file: commit,
    find: 'if (stored.by === by) return stored;',
    replace: 'if (stored.version === next.version && stored.fence === next.fence) return stored;',
  },
  {
    sentence: 'A refused commit is evolved again without a look for the mark.',
    rule: 'one mark per event',
    file: commit,
    find: 'if (stored.by === by) return stored;',
    replace: '',
  },
  {
    sentence: 'The head is put without its condition.',
    rule: 'conditional commits',
    file: 'src/app/table-store.ts',
    find: 'const put = await table.put({ ...due(job.id, toHeadRecord(job)), ...headKey(job.id) }, condition);',
    replace: 'const put = await table.put({ ...due(job.id, toHeadRecord(job)), ...headKey(job.id) });',
  },
  {
    sentence: 'A commit that met another goes on though somebody else holds the lease.',
    rule: 'owner token',
    file: commit,
    find: "return !isEnded(job) && job.status.type === 'running' && job.status.lease.owner === owner;",
    replace: "return !isEnded(job) && job.status.type === 'running' && owner !== '';",
  },
  {
    sentence: 'The money of a dead attempt is given back.',
    rule: 'reserves become unsettled',
    file: evolve,
    find: 'const settled = lapsed ? { ...job, ledger: unsettle(job.ledger) } : job;',
    replace: 'const settled = lapsed ? { ...job, ledger: release(job.ledger) } : job;',
  },
  {
    sentence: 'A wait whose request may have been billed releases its reserve.',
    rule: 'reserves become unsettled',
    file: evolve,
    find: "const ledger = event.billed === 'no' ? release(job.ledger) : unsettle(job.ledger);",
    replace: "const ledger = event.billed !== 'no' ? release(job.ledger) : release(job.ledger);",
  },
  {
    sentence: 'A job that ends gives its reserve back.',
    rule: 'reserves become unsettled',
    file: 'src/core/transitions.ts',
    find: 'ledger: unsettle(job.ledger), dueAtMs: 0',
    replace: 'ledger: { ...unsettle(job.ledger), unsettled: job.ledger.unsettled }, dueAtMs: 0',
  },
  {
    sentence: 'An adopter books the reply and leaves its reserve unsettled as well.',
    rule: 'settle once',
    file: ledger,
    find: 'unsettled: ledger.unsettled - reserved,',
    replace: 'unsettled: ledger.unsettled - reserved - reserved,',
  },
  {
    sentence: 'A reserve is not held.',
    rule: 'reserve before the request',
    file: ledger,
    find: 'return { ...ledger, reserved: ledger.reserved + amount };',
    replace: 'return { ...ledger, reserved: ledger.reserved + 0 * amount };',
  },
  {
    sentence: 'The worst cost forgets that cache writes are dearer.',
    rule: 'the bound holds',
    file: 'src/core/prices.ts',
    find: 'const dearest = Math.max(rate.input, rate.cacheWrite5m, rate.cacheRead);\n  return Math.ceil(',
    replace: 'const dearest = Math.max(rate.input, rate.cacheRead);\n  return Math.ceil(',
  },
  {
    sentence: 'The price of a cache write is left out of the cost.',
    rule: 'true cost',
    file: 'src/core/prices.ts',
    find: '    usage.cacheWrite5m * rate.cacheWrite5m +\n',
    replace: '',
  },
  {
    sentence: 'The output is not shrunk to what is left.',
    rule: 'the ceiling',
    file: 'src/core/quote.ts',
    find: 'if (maxTokens < MIN_OUTPUT_TOKENS) return undefined;',
    replace: 'if (maxTokens < 0) return { amount: full, bound, maxTokens: wanted, shrunk: false };',
  },
  {
    sentence: 'The last step may be followed by one more.',
    rule: 'steps',
    file: 'src/core/stop-rules.ts',
    find: 'return job.steps >= job.limits.maxSteps',
    replace: 'return job.steps > job.limits.maxSteps',
  },
  {
    sentence: 'The intent of a once call is put over any other.',
    rule: 'put intent only if absent',
    file: 'src/app/table-store.ts',
    find: "return (await table.put(intent, { type: 'absent' })) === 'put' ? 'put' : 'exists';",
    replace: "return (await table.put(intent)) === 'put' ? 'put' : 'exists';",
  },
  {
    sentence: 'A bare intent of another attempt is run again.',
    rule: 'never re-run a started once call',
    file: 'src/app/run-call.ts',
    find: "if (found !== undefined && (found.state !== 'intent' || found.owner !== caller.owner)) {",
    replace: "if (found !== undefined && found.state !== 'intent') {",
  },
  {
    sentence: 'A check that says “not done” runs the call again.',
    rule: '“not done” never re-runs',
    file: 'src/app/run-call.ts',
    find: "if (result?.done !== true) throw new Error('not known to be done');\n  return result.result;",
    replace: 'return result?.done === true ? result.result : undefined;',
  },
  {
    sentence: 'The journal knows a call by its place alone.',
    rule: 'call key',
    file: 'src/app/table-store.ts',
    find: 'sk: `CALL#${key.born}.${key.place}`',
    replace: 'sk: `CALL#${key.place}`',
  },
  {
    sentence: 'The idempotency key changes with the attempt.',
    rule: 'call key',
    file: 'src/app/run-call.ts',
    find: 'idempotencyKey: `${key.jobId}.${key.born}.${key.place}`,',
    replace: 'idempotencyKey: `${key.jobId}.${caller.owner}.${key.place}`,',
  },
  {
    sentence: 'An item is put over one with the same fence.',
    rule: 'fence of items',
    file: 'src/testing/memory-table.ts',
    find: 'Number(item[condition.name]) < condition.value;',
    replace: 'Number(item[condition.name]) <= condition.value;',
  },
  {
    sentence: 'A step’s item is put without a look at its fence.',
    rule: 'fence of items',
    file: 'src/app/table-store.ts',
    find: "? { type: 'absent_or_lower', name: 'fence', value: item.fence }",
    replace: '? undefined',
  },
  {
    sentence: 'An adopted reply is not stamped.',
    rule: 'stamp first',
    file: 'src/app/adopt.ts',
    find: 'found.fence === job.fence\n        ? ',
    replace: 'found.fence <= job.fence\n        ? ',
  },
  {
    sentence: 'A paid reply that missed its commit is not looked for.',
    rule: 'adoption',
    file: 'src/app/step.ts',
    find: 'const adopted = lapsed ? await adopt(world, claimed, attempt) : undefined;',
    replace:
      'const adopted = lapsed && attempt.queueMs < 0 ? await adopt(world, claimed, attempt) : undefined;',
  },
  {
    sentence: 'The next turn is sent before the commit.',
    rule: 'commit, then send',
    file: 'src/app/step.ts',
    find: "if (after?.status.type === 'queued') await sendTurn(world, after);\n        return 'done';",
    replace: "return 'done';",
  },
];
