import { type ContentBlock, isObject } from '../../core/content.ts';
import type { Item } from '../../ports.ts';
import { plainBlocks } from './originals.ts';
import { type HeadSeen, sumOf } from './records.ts';

/** The calls of one tool with one input that the committed replies of a job hold, and what was done about them. */
export interface CallWatch {
  readonly tool: string;
  committed: number;
  approved: number;
  /** Results without error that the model was given. */
  succeeded: number;
  runs: number;
  readonly keys: Set<string>;
}

/** One item of a committed transcript, as the referee saw it committed. */
export interface ItemMark {
  /** Messages of the transcript up to and with this item. */
  readonly messages: number;
  /** A reply was booked with it, and stands in the transcript. */
  readonly replied: boolean;
  readonly kept: boolean;
  readonly paused: boolean;
  /** It holds results and nothing else. */
  readonly resultsOnly: boolean;
  readonly born: number;
  /** tool_use ids that came with it. */
  readonly ids: readonly string[];
}

/** What the referee knows of one job, from what it saw done. */
export interface JobWatch {
  readonly id: string;
  head: HeadSeen | undefined;
  /** Everything the provider billed for it, in micro-dollars. */
  billed: number;
  /** The true cost of every committed reply. */
  committedCost: number;
  committedReplies: number;
  requests: number;
  /** JSON of every message of the committed transcript. */
  messages: string[];
  /** Its items, the input first. */
  readonly items: ItemMark[];
  /** Transcripts as they were before a retry cut them back: a sleeper may still ask with one. */
  readonly past: (readonly string[])[];
  /** The letters of the calls of each reply as they stood last, by the fence it was born under. */
  readonly letters: Map<number, string>;
  /** Replies whose `once` calls have taken effect, by the fence they were born under. */
  readonly effects: Set<number>;
  /** Keys of the follow-ups in the transcript: what was said, and the place of the item. */
  readonly followUps: Map<string, { readonly content: string; readonly at: number }>;
  /** Inputs that callers were told their job stands with. */
  readonly inputs: Set<string>;
  /** A cancel of its was taken. */
  cancelTaken: boolean;
  /** A caller was told that it is deleted. */
  deleted: boolean;
  /** The day whose pool it has its money of, and what it had been charged before; -1 for none. */
  day: number;
  dayBase: number;
  /** What it was charged of the pools of earlier days. */
  readonly earlierDays: Map<number, number>;
  /** The last reply of the transcript is to be sent back as it is. */
  paused: boolean;
  /** tool_use id to the identity of its call. */
  readonly ids: Map<string, string>;
  readonly calls: Map<string, CallWatch>;
  /** Fences whose holder has asked the model. */
  readonly askedBy: Set<number>;
  /** A claim found a paid reply that it must adopt: asking again would pay twice. */
  mustAdopt: number;
  unknownOutcome: boolean;
  batchId: string | undefined;
  accepted: boolean;
  /** Tokens of every committed reply. */
  tokens: number;
  /** Its ceiling is what the pool of its batch had left. */
  poolCut: boolean;
  /** It has waited for a person. */
  waited: boolean;
  /** Before then, by the clock of who was told so, the model must not be asked again. */
  retryAtMs: number;
  /** Claims since the job last went on. */
  claims: number;
  /** Somebody has asked for its cancel, or its batch's. */
  cancelWanted: boolean;
}

function createJobWatch(id: string): JobWatch {
  return {
    id,
    head: undefined,
    billed: 0,
    committedCost: 0,
    committedReplies: 0,
    requests: 0,
    messages: [],
    ...{ items: [], past: [], letters: new Map(), effects: new Set(), followUps: new Map() },
    ...{ inputs: new Set(), cancelTaken: false, deleted: false },
    ...{ day: -1, dayBase: 0, earlierDays: new Map() },
    paused: false,
    ids: new Map(),
    calls: new Map(),
    askedBy: new Set(),
    mustAdopt: 0,
    unknownOutcome: false,
    batchId: undefined,
    accepted: false,
    tokens: 0,
    poolCut: false,
    waited: false,
    retryAtMs: 0,
    claims: 0,
    cancelWanted: false,
  };
}

export function watchOf(jobs: Map<string, JobWatch>, id: string): JobWatch {
  const known = jobs.get(id);
  if (known !== undefined) return known;
  const fresh = createJobWatch(id);
  jobs.set(id, fresh);
  return fresh;
}

/** The dispatcher takes a misplaced null as absent; so does the referee. */
const withoutNulls = (_: string, value: unknown): unknown => value ?? undefined;

function identityOf(tool: string, input: unknown): string {
  return `${tool} ${JSON.stringify(input, withoutNulls)}`;
}

export function callWatch(watch: JobWatch, tool: string, input: unknown): CallWatch {
  const identity = identityOf(tool, input);
  const known = watch.calls.get(identity);
  if (known !== undefined) return known;
  const fresh: CallWatch = { tool, committed: 0, approved: 0, succeeded: 0, runs: 0, keys: new Set() };
  watch.calls.set(identity, fresh);
  return fresh;
}

/** The tool_use blocks of stored content, in order. */
export function usesOf(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.filter((block) => block.type === 'tool_use');
}

export function blocksOf(item: Item | undefined, name: 'user' | 'reply'): readonly ContentBlock[] {
  const json = item?.[name];
  return typeof json === 'string' ? (JSON.parse(json) as readonly ContentBlock[]) : [];
}

/** What of a reply is more than what was held for it: the provider of the simulation never counts more than a token a byte. */
function boundProblem(item: Item): string | undefined {
  const [prompt = 0, output = 0] = item['bound'] as readonly number[];
  const [input = 0, used = 0, cacheWrite = 0, cacheRead = 0] = (item['usage'] ?? []) as readonly number[];
  const read = input + cacheWrite + cacheRead;
  if (read > prompt || used > output)
    return `a request was held at ${prompt} and ${output} tokens, it took ${read} and ${used}`;
  return Number(item['cost']) > Number(item['reserved'])
    ? `a request was held at ${String(item['reserved'])}, it cost ${String(item['cost'])}`
    : undefined;
}

/** Takes a committed item into the job's history. Returns what is wrong with it, if anything is. */
export function commitItem(watch: JobWatch, item: Item, trueCost: number | undefined): string | undefined {
  const user = item['user'];
  if (typeof user === 'string') watch.messages.push(`{"role":"user","content":${user}}`);
  const said = blocksOf(item, 'user');
  const results = said.filter(({ type }) => type === 'tool_result');
  for (const block of results) {
    const identity = watch.ids.get(String(block['tool_use_id']));
    const call = identity === undefined ? undefined : watch.calls.get(identity);
    if (call === undefined)
      return `a result answers ${String(block['tool_use_id'])}, which no committed reply asked`;
    if (block['is_error'] !== true) call.succeeded += 1;
    else if (String(block['content']).startsWith('outcome unknown')) watch.unknownOutcome = true;
  }
  const mark = {
    messages: watch.messages.length,
    ...{ replied: item['stop'] !== '', kept: false, paused: watch.paused, ids: [] },
    resultsOnly: item['stop'] === '' && said.length > 0 && results.length === said.length,
    born: Number(item['born']),
  };
  watch.items.push(mark);
  if (item['stop'] === '') return undefined;
  if (trueCost !== undefined && item['usage'] !== undefined && item['cost'] !== trueCost) {
    return `a reply is booked at ${String(item['cost'])}, the provider billed ${trueCost}`;
  }
  const outgrown = boundProblem(item);
  if (outgrown !== undefined) return outgrown;
  watch.committedReplies += 1;
  watch.tokens += sumOf((item['usage'] ?? item['bound']) as readonly unknown[]);
  watch.committedCost += Number(item['cost']);
  if (item['kept'] !== true) return undefined;
  watch.paused = item['stop'] === 'pause_turn';
  watch.messages.push(`{"role":"assistant","content":${String(item['reply'])}}`);
  const uses = usesOf(plainBlocks(item));
  const ids = uses.map(({ id }) => String(id));
  const kept = { kept: true, paused: watch.paused, messages: watch.messages.length, ids };
  watch.items[watch.items.length - 1] = { ...mark, ...kept };
  for (const block of uses) {
    const input = isObject(block['input']) ? block['input'] : {};
    const call = callWatch(watch, String(block['name']), input);
    call.committed += 1;
    watch.ids.set(String(block['id']), identityOf(call.tool, input));
  }
  return undefined;
}

/** How many items stand before a step: before its reply, and before results that were put ahead of that. Undefined where there is no such step. */
export function itemsBeforeStep({ items }: JobWatch, step: number): number | undefined {
  const places = items.flatMap(({ replied }, at) => (replied ? [at] : []));
  if (step > places.length + 1) return undefined;
  let count = places[step - 1] ?? items.length;
  while (count > 1 && items[count - 1]?.resultsOnly === true) count -= 1;
  return count;
}

/** Takes the newest items back out of the job's history, as a retry does. */
export function cutBack(watch: JobWatch, count: number): void {
  watch.past.push(watch.messages);
  for (const { ids } of watch.items.splice(count)) for (const id of ids) watch.ids.delete(id);
  const last = watch.items.at(-1);
  watch.messages = watch.messages.slice(0, last?.messages ?? 0);
  watch.paused = last?.paused ?? false;
  for (const [key, { at }] of watch.followUps) if (at > count) watch.followUps.delete(key);
}
