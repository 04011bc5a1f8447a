import type { ContentBlock } from '../../ports.ts';
import type { Problems } from './check-block.ts';

/** A message with its place in the request, before neighbours of one role are merged. */
export interface PlacedMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly at: number;
  /** A plain string counts as one text block. */
  readonly content: readonly ContentBlock[];
}

/** Neighbours of one role as the API sees them: one message. */
export function mergeNeighbours(messages: readonly PlacedMessage[]): readonly (readonly PlacedMessage[])[] {
  const turns: PlacedMessage[][] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.[0]?.role === message.role) last.push(message);
    else turns.push([message]);
  }
  return turns;
}

/** Every call is answered by exactly one result, first in the very next user message; call ids are never used twice. */
export function* pairingProblems(messages: readonly PlacedMessage[]): Problems {
  yield* repeatedIds(messages);
  const turns = mergeNeighbours(messages);
  for (const [place, turn] of turns.entries()) {
    const calls = turn.flatMap((message) => idsOf(message, 'tool_use', 'id'));
    const next = turns[place + 1]?.[0];
    if (calls.length > 0) yield* unansweredCalls(calls, turn, next);
    const before = turns[place - 1] ?? [];
    const open = before.flatMap((message) => idsOf(message, 'tool_use', 'id'));
    if (turn[0]?.role === 'user') yield* resultProblems(turn, open);
  }
}

function idsOf(message: PlacedMessage, type: string, field: string): readonly string[] {
  return message.content.filter((block) => block.type === type).map((block) => String(block[field]));
}

function* repeatedIds(messages: readonly PlacedMessage[]): Problems {
  const seen = new Set<string>();
  for (const message of messages) {
    for (const [at, block] of message.content.entries()) {
      if (block.type !== 'tool_use' && block.type !== 'server_tool_use') continue;
      const id = String(block['id']);
      if (seen.has(id)) yield `messages.${message.at}.content.${at}: \`tool_use\` ids must be unique`;
      seen.add(id);
    }
  }
}

function* unansweredCalls(
  calls: readonly string[],
  turn: readonly PlacedMessage[],
  next: PlacedMessage | undefined,
): Problems {
  const results = next?.role === 'user' ? idsOf(next, 'tool_result', 'tool_use_id') : [];
  const missing = calls.filter((id) => !results.includes(id));
  if (missing.length === 0) return;
  yield `messages.${turn.at(-1)?.at ?? 0}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
    `${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function* resultProblems(turn: readonly PlacedMessage[], open: readonly string[]): Problems {
  const answered = new Set<string>();
  let otherSeen = false;
  for (const message of turn) {
    for (const [at, block] of message.content.entries()) {
      const path = `messages.${message.at}.content.${at}`;
      if (block.type !== 'tool_result') {
        otherSeen = true;
        continue;
      }
      const id = String(block['tool_use_id']);
      if (!open.includes(id)) {
        yield `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      }
      if (answered.has(id)) yield `${path}: each tool_use must have a single result. Found another for ${id}`;
      if (otherSeen) yield `${path}: \`tool_result\` blocks must come before any other content`;
      answered.add(id);
    }
  }
}
