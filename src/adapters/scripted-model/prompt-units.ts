import { createHash } from 'node:crypto';
import { isObject } from '../../core/content.ts';
import { utf8Bytes } from '../../core/safe-json.ts';
import type { Fields } from './check-block.ts';
import { ttlOf } from './check-cache-control.ts';

/** One block of the prompt, together with all of the prompt up to its end. */
export interface PromptUnit {
  readonly type: unknown;
  /** Of the breakpoint that stands on the block; `undefined` without one. */
  readonly ttl: '5m' | '1h' | undefined;
  readonly hash: string;
  readonly tokens: number;
  /** A run of calls, or of results, shares one position. */
  readonly position: number;
}

const BYTES_PER_TOKEN = 4;

/** The rule of the scripted model: one token for every four UTF-8 bytes begun. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The tokens of a whole prompt: the JSON of its tools, system and messages, breakpoints left out. */
export function countPrompt(body: Fields): number {
  return promptUnits(body).at(-1)?.tokens ?? 0;
}

interface Chain {
  readonly units: PromptUnit[];
  hash: string;
  bytes: number;
}

/**
 * The prompt as a chain of blocks: tools, system, messages. Each hash is made of the one before and the block, so that
 * a prompt costs one pass. The model belongs to the chain from the start, and what steers the answer from the first
 * message on. Brackets are counted where a list opens, so that a prefix costs the same when more follows it.
 */
export function promptUnits(body: Fields): readonly PromptUnit[] {
  const chain: Chain = { units: [], hash: String(body['model']), bytes: 0 };
  addList(chain, body['tools']);
  addList(chain, body['system']);
  mix(chain, JSON.stringify([body['tool_choice'], body['thinking'], body['output_config']]));
  const messages: unknown = body['messages'];
  if (!Array.isArray(messages)) return chain.units;
  for (const [at, message] of messages.entries()) {
    chain.bytes += at === 0 ? 2 : 1;
    if (isObject(message)) addMessage(chain, message);
  }
  return chain.units;
}

function addMessage(chain: Chain, message: Fields): void {
  const frame = JSON.stringify({ ...message, content: [] });
  mix(chain, frame);
  chain.bytes += utf8Bytes(frame) - 2;
  addList(chain, message['content']);
}

/** Adds a list of blocks, or a plain string as the one block it stands for. */
function addList(chain: Chain, list: unknown): void {
  if (typeof list === 'string') addUnit(chain, 'text', list, undefined);
  if (!Array.isArray(list)) return;
  chain.bytes += 2;
  for (const [at, block] of list.entries()) {
    if (at > 0) chain.bytes += 1;
    if (isObject(block)) addUnit(chain, block['type'], withoutBreakpoints(block), deepTtl(block));
  }
}

function addUnit(chain: Chain, type: unknown, block: unknown, ttl: '5m' | '1h' | undefined): void {
  const json = JSON.stringify(block);
  mix(chain, json);
  chain.bytes += utf8Bytes(json);
  const last = chain.units.at(-1);
  const joins = last?.type === type && (type === 'tool_use' || type === 'tool_result');
  chain.units.push({
    type,
    ttl,
    hash: chain.hash,
    tokens: tokensOf(chain.bytes),
    position: (last?.position ?? 0) + (joins ? 0 : 1),
  });
}

function mix(chain: Chain, text: string): void {
  chain.hash = createHash('sha256').update(`${chain.hash}\n${text}`).digest('base64url');
}

/** A breakpoint is no part of the prompt: it moves on from step to step while the prefix stays the same. */
function withoutBreakpoints(block: Fields): Fields {
  const { cache_control: _, ...rest } = block;
  const content = rest['content'];
  if (rest['type'] !== 'tool_result' || !Array.isArray(content)) return rest;
  return { ...rest, content: content.map((inner) => (isObject(inner) ? withoutBreakpoints(inner) : inner)) };
}

/** A breakpoint inside a tool result counts as one on the result. */
function deepTtl(block: Fields): '5m' | '1h' | undefined {
  const content = block['type'] === 'tool_result' ? block['content'] : undefined;
  const inner = Array.isArray(content) ? content.filter(isObject).map(ttlOf) : [];
  return ttlOf(block) ?? inner.find((ttl) => ttl !== undefined);
}
