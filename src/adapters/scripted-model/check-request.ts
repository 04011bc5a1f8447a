import { isObject } from '../../core/content.ts';
import type { PriceTable } from '../../core/prices.ts';
import { utf8Bytes } from '../../core/safe-json.ts';
import type { MessagesRequest, RequestTool } from './brain.ts';
import type { Fields, Problems } from './check-block.ts';
import { cacheControlProblems } from './check-cache-control.ts';
import { type History, historyProblems } from './check-history.ts';
import { messagesProblems, readBlocks, readMessages, systemProblems } from './check-messages.ts';
import { type Endpoint, fieldProblems, optionProblems } from './check-options.ts';
import { mergeNeighbours, pairingProblems } from './check-pairing.ts';
import { toolsProblems } from './check-tools.ts';
import { traitsOf } from './model-traits.ts';
import { loneSurrogate } from './raw-json.ts';

/** The largest body the API takes, in bytes. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;
const versions = ['2023-01-01', '2023-06-01', '2026-10-21'];

/** A request that is not answered, in the API's words. */
export interface Refusal {
  readonly status: number;
  /** The API's `error.type`. */
  readonly type: string;
  readonly message: string;
}

/** Refuses a request for its headers or its size; `undefined` when both will do. Header names are in lower case. */
export function refuseTransport(
  headers: Readonly<Record<string, string>>,
  body: string,
): Refusal | undefined {
  if (utf8Bytes(body) > MAX_BODY_BYTES) {
    return {
      status: 413,
      type: 'request_too_large',
      message: 'Request exceeds the maximum allowed number of bytes.',
    };
  }
  const bearer = /^Bearer \S/i.test(headers['authorization'] ?? '');
  if (!bearer && (headers['x-api-key'] ?? '') === '') {
    return { status: 401, type: 'authentication_error', message: 'x-api-key header is required' };
  }
  const version = headers['anthropic-version'];
  if (version === undefined) return invalid('anthropic-version: header is required');
  if (!versions.includes(version)) return invalid('anthropic-version: not a valid version of this API');
  const beta = headers['anthropic-beta'] ?? '';
  // A text inside a message has its quotes escaped, so that it is never taken for the field.
  return body.includes('"block_binding":') && !beta.includes('thinking-binding-controls-')
    ? invalid('thinking.block_binding: Extra inputs are not permitted')
    : undefined;
}

export type ParsedBody =
  | { readonly type: 'body'; readonly body: Fields }
  | { readonly type: 'refused'; readonly refusal: Refusal };

const refused = (message: string): ParsedBody => ({ type: 'refused', refusal: invalid(message) });

/** Parses a body. Its text is checked too: Node itself reads an unpaired surrogate without complaint. */
export function parseBody(raw: string): ParsedBody {
  let body: unknown;
  try {
    body = JSON.parse(raw);
  } catch {
    return refused('The request body is not valid JSON');
  }
  const lone = loneSurrogate(raw);
  if (lone !== -1) {
    return refused(
      `The request body is not valid JSON: unpaired surrogate in string: line 1 column ${lone + 1} (char ${lone})`,
    );
  }
  return isObject(body) ? { type: 'body', body } : refused('The request body should be an object');
}

/** A refusal of a parsed body, the first that applies; `undefined` for a request that the API would answer. */
export function refuseBody(
  body: Fields,
  endpoint: Endpoint,
  prices: PriceTable,
  history: History,
): Refusal | undefined {
  const fields = first(fieldProblems(body, endpoint));
  if (fields !== undefined) return fields;
  const name = String(body['model']);
  const model = Object.hasOwn(prices, name) ? prices[name] : undefined;
  if (model === undefined) {
    return { status: 404, type: 'not_found_error', message: `model: ${name.slice(0, 64)}` };
  }
  const traits = traitsOf(name);
  return (
    first(optionProblems(body, endpoint, model, traits)) ??
    first(toolsProblems(body, traits)) ??
    first(systemProblems(body)) ??
    first(messagesProblems(body['messages'], traits.systemMessages)) ??
    first(cacheControlProblems(body)) ??
    refuseTranscript(body, history)
  );
}

function refuseTranscript(body: Fields, history: History): Refusal | undefined {
  const messages = placedMessages(body);
  return first(pairingProblems(messages)) ?? first(historyProblems(messages, history));
}

function placedMessages(body: Fields) {
  const messages = body['messages'];
  return readMessages(Array.isArray(messages) ? messages : []);
}

function first(problems: Problems): Refusal | undefined {
  const { value } = problems.next();
  return typeof value === 'string' ? invalid(value) : undefined;
}

/** A 400 of the kind that says what is wrong with a request. */
export function invalid(message: string): Refusal {
  return { status: 400, type: 'invalid_request_error', message };
}

/** The request as a brain sees it. The body must have passed the checks. */
export function readRequest(body: Fields): MessagesRequest {
  const tools = body['tools'];
  return {
    model: String(body['model']),
    max_tokens: Number(body['max_tokens']),
    system: readBlocks(body['system']),
    messages: mergeNeighbours(placedMessages(body)).map((turn) => ({
      role: turn[0]?.role ?? 'user',
      content: turn.flatMap((message) => message.content),
    })),
    tools: Array.isArray(tools) ? tools.filter(isTool) : [],
    userId: userIdOf(body),
  };
}

function isTool(tool: unknown): tool is RequestTool {
  return isObject(tool) && typeof tool['name'] === 'string';
}

/** `metadata.user_id`, where the body carries one. */
export function userIdOf(body: Fields): string | undefined {
  const metadata = body['metadata'];
  const id = isObject(metadata) ? metadata['user_id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}
