import { type ContentBlock, isObject } from './content.ts';

const idPattern = /^[a-zA-Z0-9_-]{1,200}$/;
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;
const loneSurrogateEscape = /\\ud[89a-f][0-9a-f]{2}/i;

export interface Mended {
  readonly content: readonly ContentBlock[];
  readonly changed: boolean;
}

/**
 * Mends what a reply holds that may not be sent back, before anything else reads it; a reply without such parts comes
 * back as it is. The rules, one each:
 * - a text block that is empty or white space is left out;
 * - an id the job has seen, or outside the API's pattern, becomes `call_<fence>_<place>`, which no other reply can hold;
 * - a tool name outside the API's pattern becomes `unknown_` and its allowed characters, so that it never names a tool;
 * - an input that is text holding a JSON object becomes that object; any other non-object becomes `{unreadable_input}`,
 *   which every tool refuses by name;
 * - an unpaired surrogate in text or input becomes U+FFFD.
 */
export function mend(content: readonly ContentBlock[], seenIds: ReadonlySet<string>, fence: number): Mended {
  const used = new Set<string>();
  let place = 0;
  const blocks: ContentBlock[] = [];
  for (const block of content) {
    if (block.type === 'text') {
      if (String(block['text']).trim() !== '') blocks.push(wellFormed(block, 'text'));
    } else if (block.type === 'tool_use') {
      blocks.push(mendCall(block, (id) => seenIds.has(id) || used.has(id), `call_${fence}_${place}`));
      used.add(String(blocks.at(-1)?.['id']));
      place += 1;
    } else {
      blocks.push(block);
    }
  }
  const changed = blocks.length !== content.length || blocks.some((block, at) => block !== content[at]);
  return { content: blocks, changed };
}

function mendCall(block: ContentBlock, taken: (id: string) => boolean, freshId: string): ContentBlock {
  const id = String(block['id']);
  const name = String(block['name']);
  let mended = block;
  if (!idPattern.test(id) || taken(id)) mended = { ...mended, id: freshId };
  if (!namePattern.test(name)) {
    mended = { ...mended, name: `unknown_${name.replaceAll(/[^a-zA-Z0-9_-]/g, '').slice(0, 40)}` };
  }
  if (!isObject(block['input'])) mended = { ...mended, input: mendInput(block['input']) };
  return wellFormed(mended, 'input');
}

function mendInput(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input !== 'string') return { unreadable_input: input ?? null };
  try {
    const parsed: unknown = JSON.parse(input);
    if (isObject(parsed)) return parsed;
  } catch {
    // Text that is no JSON at all goes the same way as JSON that is no object.
  }
  return { unreadable_input: input };
}

function wellFormed(block: ContentBlock, key: 'text' | 'input'): ContentBlock {
  if (!loneSurrogateEscape.test(JSON.stringify(block[key]))) return block;
  const json = JSON.stringify(block[key], (_, value: unknown) =>
    typeof value === 'string' ? replaceLone(value) : value,
  );
  const value: unknown = JSON.parse(json);
  return JSON.stringify(value) === JSON.stringify(block[key]) ? block : { ...block, [key]: value };
}

function replaceLone(text: string): string {
  return text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}
