import { type ContentBlock, isObject } from '../../core/content.ts';
import type { Item } from '../../ports.ts';
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
  readonly messages: string[];
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
  for (const block of blocksOf(item, 'user')) {
    if (block.type !== 'tool_result') continue;
    const identity = watch.ids.get(String(block['tool_use_id']));
    const call = identity === undefined ? undefined : watch.calls.get(identity);
    if (call === undefined)
      return `a result answers ${String(block['tool_use_id'])}, which no committed reply asked`;
    if (block['is_error'] !== true) call.succeeded += 1;
    else if (String(block['content']).startsWith('outcome unknown')) watch.unknownOutcome = true;
  }
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
  for (const block of usesOf(blocksOf(item, 'reply'))) {
    const input = isObject(block['input']) ? block['input'] : {};
    const call = callWatch(watch, String(block['name']), input);
    call.committed += 1;
    watch.ids.set(String(block['id']), identityOf(call.tool, input));
  }
  return undefined;
}
