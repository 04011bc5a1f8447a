import type { Effect } from './agent.ts';
import { hasEnded, type RawHead } from './heads.ts';
import { callsOf, stepOfMark } from './plan.ts';

/** What the judgement rests on: the raw table, what the tools did, and what the model's own server says it billed. */
export interface Evidence {
  readonly submitted: readonly string[];
  readonly steps: number;
  readonly heads: readonly RawHead[];
  readonly effects: readonly Effect[];
  /** Micro-dollars by job. */
  readonly billed: ReadonlyMap<string, number>;
}

/** Attempts at one step that must really have died before a job may end as `internal`. */
const MAX_ATTEMPTS = 6;

/** Every broken promise, each with the job that shows it. Empty when all hold. */
export function judge(evidence: Evidence): readonly string[] {
  const heads = new Map(evidence.heads.map((head) => [head.id, head]));
  const submitted = new Set(evidence.submitted);
  const effects = grouped(evidence.effects, ({ jobId }) => jobId);
  return [
    ...evidence.submitted.filter((id) => !heads.has(id)).map((id) => `${id}: lost, it is not in the table`),
    ...evidence.heads.filter(({ id }) => !submitted.has(id)).map(({ id }) => `${id}: nobody submitted it`),
    ...evidence.effects
      .filter(({ jobId }) => !submitted.has(jobId))
      .map(({ jobId }) => `${jobId}: an effect of a job that nobody submitted`),
    ...evidence.heads.flatMap((head) => [
      ...endingProblems(head, evidence.steps),
      ...moneyProblems(head, evidence.billed.get(head.id) ?? 0),
      ...effectProblems(head, evidence.steps, effects.get(head.id) ?? []),
    ]),
    ...sharedKeys(evidence.effects),
  ];
}

function grouped<T>(list: readonly T[], nameOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const name = nameOf(one);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [one]);
    else group.push(one);
  }
  return groups;
}

function endingProblems(head: RawHead, steps: number): readonly string[] {
  const { id, status, reason } = head;
  const problems: string[] = [];
  const say = (what: string): void => void problems.push(`${id}: ${what}`);
  if (!hasEnded(status)) say(`it has not ended (status ${status}, ${head.steps} steps)`);
  if (head.steps > head.maxSteps) say(`${head.steps} steps, the limit is ${head.maxSteps}`);
  if (status === 's' && head.steps !== steps) say(`succeeded after ${head.steps} of ${steps} steps`);
  const excused = reason === 'cost_ceiling' || (reason === 'internal' && head.attempts >= MAX_ATTEMPTS);
  if (hasEnded(status) && status !== 's' && !excused) say(`ended as ${reason}: ${head.detail}`);
  return problems;
}

function moneyProblems(head: RawHead, billed: number): readonly string[] {
  const { id, ceiling, settled, reserved, unsettled } = head;
  const problems: string[] = [];
  const figures = `billed ${billed}, settled ${settled}, unsettled ${unsettled}, ceiling ${ceiling}`;
  if (billed > settled + unsettled) problems.push(`${id}: more was billed than is charged (${figures})`);
  if (settled > billed) problems.push(`${id}: more is settled than was billed (${figures})`);
  if (settled + reserved + unsettled > ceiling) problems.push(`${id}: over its ceiling (${figures})`);
  if (hasEnded(head.status) && reserved !== 0) problems.push(`${id}: ended with ${reserved} still reserved`);
  return problems;
}

function effectProblems(head: RawHead, steps: number, effects: readonly Effect[]): readonly string[] {
  const problems: string[] = [];
  const say = (what: string): void => void problems.push(`${head.id}: ${what}`);
  for (const [mark, runs] of grouped(effects, (effect) => effect.mark)) {
    const step = stepOfMark(mark);
    const planned = callsOf(step, steps).find((call) => call.mark === mark);
    const { policy } = runs[0] ?? {};
    if (planned?.policy !== policy) say(`call ${mark} took effect as ${policy}; the model never made it so`);
    if (step > head.steps) say(`call ${mark} ran, but only ${head.steps} replies are stored`);
    if (policy === 'once' && runs.length > 1) say(`once call ${mark} took effect ${runs.length} times`);
    const keys = new Set(runs.map(({ key }) => key));
    if (policy === 'idempotent' && keys.size > 1)
      say(`idempotent call ${mark} showed ${keys.size} keys: ${[...keys].join(', ')}`);
  }
  // A call whose outcome is unknown flags its job; in any other that succeeded each planned call was made.
  if (head.status === 's' && !head.needsReview) {
    const marks = new Set(effects.map(({ mark }) => mark));
    for (let step = 1; step <= steps; step += 1) {
      for (const { mark, policy } of callsOf(step, steps)) {
        if (!marks.has(mark)) say(`${policy} call ${mark} never took effect, and nobody was told`);
      }
    }
  }
  return problems;
}

/** A key may belong to one call only. */
function sharedKeys(effects: readonly Effect[]): readonly string[] {
  const problems: string[] = [];
  for (const [key, runs] of grouped(effects, (effect) => effect.key)) {
    const calls = new Set(runs.map(({ jobId, mark }) => `${jobId} ${mark}`));
    if (calls.size > 1)
      problems.push(`${runs[0]?.jobId}: the key ${key} is shared by ${[...calls].join(', ')}`);
  }
  return problems;
}
