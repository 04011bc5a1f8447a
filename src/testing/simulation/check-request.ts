import type { ContentBlock, Message } from '../../core/content.ts';

const isUse = (block: ContentBlock): boolean => block.type === 'tool_use';
const isResult = (block: ContentBlock): boolean => block.type === 'tool_result';

/**
 * What the Messages API would refuse about the messages of a request; undefined when nothing. Its rules for tool use:
 * the first message is the user's, ids are unique, and the message after a call answers exactly its calls, results first.
 */
export function requestProblem(messages: readonly Message[]): string | undefined {
  if (messages[0]?.role !== 'user') return 'the first message is not the user’s';
  const seen = new Set<string>();
  let open: readonly string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    if (content.length === 0) return `message ${at + 1} is empty`;
    if (content.some((block) => block.type === 'text' && String(block['text']).trim() === ''))
      return `message ${at + 1} holds an empty text`;
    const results = content.filter(isResult).map((block) => String(block['tool_use_id']));
    const first = content.findIndex((block) => !isResult(block));
    if (first >= 0 && content.slice(first).some(isResult))
      return `message ${at + 1}: results do not come first`;
    if (results.join(' ') !== open.join(' '))
      return `message ${at + 1} answers [${results.join(', ')}], asked were [${open.join(', ')}]`;
    open = role === 'assistant' ? content.filter(isUse).map((block) => String(block['id'])) : [];
    for (const id of open) {
      if (seen.has(id)) return `message ${at + 1}: the id ${id} was used before`;
      seen.add(id);
    }
  }
  return open.length > 0 ? 'the last message leaves calls unanswered' : undefined;
}
