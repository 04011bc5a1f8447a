import { createHash } from 'node:crypto';
import { isObject } from '../../core/content.ts';
import { utf8Bytes } from '../../core/safe-json.ts';
import type { BrainReply, ContentBlock } from './brain.ts';
import { tokensOf } from './prompt-units.ts';

/** A reply by rules after `max_tokens` has had its say. */
export interface Composed {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  readonly stopReason: string;
  readonly outputTokens: number;
}

/**
 * Makes a reply of what the rules said. Ids come from the request's text alone: the same request gives the same bytes,
 * and no two requests of a conversation, of which the later is longer, share a call id.
 */
export function compose(reply: BrainReply, rawRequest: string, maxTokens: number): Composed {
  const key = createHash('sha256').update(rawRequest).digest('hex');
  const content = reply.content.map((block, at) => withId(block, `${key.slice(0, 20)}${at}`));
  const id = `msg_${key.slice(0, 24)}`;
  const outputTokens = countOutput(content);
  if (outputTokens > maxTokens) {
    const cut = cutContent(content, maxTokens);
    return { id, content: cut, stopReason: 'max_tokens', outputTokens: maxTokens };
  }
  const calls = content.some((block) => block.type === 'tool_use');
  return { id, content, stopReason: reply.stopReason ?? (calls ? 'tool_use' : 'end_turn'), outputTokens };
}

/** The tokens of a reply: of the JSON of its content. */
export function countOutput(content: unknown): number {
  return tokensOf(utf8Bytes(JSON.stringify(content ?? [])));
}

function withId(block: ContentBlock, id: string): ContentBlock {
  if (block.type !== 'tool_use' || typeof block['id'] === 'string') return block;
  const { type, ...rest } = block;
  return { type, id: `toolu_${id}`, ...rest };
}

/** What fits of a content: whole blocks, then the beginning of one more; all that follows is lost. */
function cutContent(content: readonly ContentBlock[], maxTokens: number): readonly ContentBlock[] {
  const kept: ContentBlock[] = [];
  const fits = (block: ContentBlock): boolean => countOutput([...kept, block]) <= maxTokens;
  for (const block of content) {
    if (fits(block)) {
      kept.push(block);
      continue;
    }
    const part = beginningOf(block, fits);
    return part === undefined ? kept : [...kept, part];
  }
  return kept;
}

function beginningOf(block: ContentBlock, fits: (block: ContentBlock) => boolean): ContentBlock | undefined {
  if (block.type === 'text') {
    const points = Array.from(String(block['text']));
    const length = longest(points.length, (count) =>
      fits({ ...block, text: points.slice(0, count).join('') }),
    );
    return length > 0 ? { ...block, text: points.slice(0, length).join('') } : undefined;
  }
  if (block.type !== 'tool_use') return undefined;
  const fields = Object.entries(isObject(block['input']) ? block['input'] : {});
  const partial = (count: number): ContentBlock => ({
    ...block,
    input: Object.fromEntries(fields.slice(0, count)),
  });
  const length = longest(Math.max(0, fields.length - 1), (count) => fits(partial(count)));
  return fits(partial(length)) ? partial(length) : undefined;
}

/** The highest count up to `most` that fits, found by halving; 0 when none does. */
function longest(most: number, fits: (count: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
