import { builtInPrices, type PriceTable, type TokenUsage } from '../../core/prices.ts';
import { utf8Bytes } from '../../core/safe-json.ts';
import { type Answer, answerFromBrain, answerFromScript, usageIn } from './answer.ts';
import { billedTokens, billOf } from './bill.ts';
import type { Brain } from './brain.ts';
import { type CallLog, type CallRecord, createCallLog } from './calls.ts';
import type { Fields } from './check-block.ts';
import { invalid, parseBody, type Refusal, refuseBody, refuseTransport } from './check-request.ts';
import { type Conversation, findConversation, judgePrefix } from './conversations.ts';
import { createPrefixCache } from './prefix-cache.ts';
import { countPrompt } from './prompt-units.ts';
import type { ModelScript } from './script.ts';

export interface ScriptedModelOptions {
  /** Answers in order. It comes before `brain`. */
  readonly script?: ModelScript;
  /** Answers by rules. */
  readonly brain?: Brain;
  /** Default the built-in table. A model that is not in it answers 404. */
  readonly prices?: PriceTable;
  /** Epoch milliseconds; default the system's time. Cached prefixes lapse by it. */
  readonly now?: () => number;
  /** Keep the raw body of every request for a reply, for tests. Default no. */
  readonly recordBodies?: boolean;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds to wait before sending. */
  readonly delayMs: number;
}

/** A model that answers by a script or by rules, and refuses what the real API refuses. */
export interface ScriptedModel {
  readonly respond: (request: HttpRequest) => HttpAnswer;
  /** Every request for a reply, oldest first. */
  readonly calls: () => readonly CallRecord[];
  readonly billedMicroUsd: () => number;
  /** The raw bodies of the requests for a reply; empty without `recordBodies`. */
  readonly bodies: () => readonly string[];
}

interface State {
  readonly options: ScriptedModelOptions;
  readonly prices: PriceTable;
  readonly now: () => number;
  readonly cache: ReturnType<typeof createPrefixCache>;
  readonly conversations: Map<string, Conversation>;
  readonly log: CallLog;
}

/** A scripted model inside this process: no sockets. */
export function createScriptedModel(options: ScriptedModelOptions): ScriptedModel {
  const now = options.now ?? Date.now;
  const state: State = {
    options,
    prices: options.prices ?? builtInPrices,
    now,
    cache: createPrefixCache(now),
    conversations: new Map(),
    log: createCallLog(),
  };
  const bodies: string[] = [];
  let requests = 0;
  return {
    respond: (request) => {
      requests += 1;
      const requestId = `req_${String(requests).padStart(12, '0')}`;
      const route = `${request.method} ${request.path.split('?')[0] ?? ''}`;
      if (options.recordBodies === true && route === 'POST /v1/messages') bodies.push(request.body);
      return writeOut(answerRoute(state, route, request), requestId);
    },
    calls: state.log.records,
    billedMicroUsd: state.log.billedMicroUsd,
    bodies: () => bodies,
  };
}

const answered = (body: Fields): Answer => ({ type: 'answered', status: 200, headers: {}, body, delayMs: 0 });

function answerRoute(state: State, route: string, request: HttpRequest): Answer {
  switch (route) {
    case 'POST /v1/messages':
      return answerMessages(state, request);
    case 'POST /v1/messages/count_tokens':
      return answerCount(state, request);
    case 'GET /_calls':
      return answered({ calls: state.log.records(), billedMicroUsd: state.log.billedMicroUsd() });
    default:
      return { type: 'refused', refusal: { status: 404, type: 'not_found_error', message: 'Not found' } };
  }
}

function answerCount(state: State, request: HttpRequest): Answer {
  const refused = refuseTransport(request.headers, request.body);
  if (refused !== undefined) return { type: 'refused', refusal: refused };
  const parsed = parseBody(request.body);
  if (parsed.type === 'refused') return parsed;
  const { history } = findConversation(state.conversations, parsed.body);
  const refusal = refuseBody(parsed.body, 'count_tokens', state.prices, history);
  return refusal === undefined
    ? answered({ input_tokens: countPrompt(parsed.body) })
    : { type: 'refused', refusal };
}

function answerMessages(state: State, request: HttpRequest): Answer {
  const refusal = refuseTransport(request.headers, request.body);
  const parsed = refusal === undefined ? parseBody(request.body) : { type: 'refused' as const, refusal };
  if (parsed.type === 'refused') {
    record(state, request.body, parsed, {});
    return parsed;
  }
  const { body } = parsed;
  const conversation = findConversation(state.conversations, body);
  const verdict = judgePrefix(conversation, request.body);
  const answer = answerChecked(state, request.body, body, conversation);
  record(state, request.body, answer, { body, conversation: conversation.key, verdict });
  return answer;
}

function answerChecked(state: State, raw: string, body: Fields, conversation: Conversation): Answer {
  const refusal = refuseBody(body, 'messages', state.prices, conversation.history);
  if (refusal !== undefined) return { type: 'refused', refusal };
  const model = state.prices[String(body['model'])];
  const { script, brain } = state.options;
  if (model !== undefined) {
    const asked = { body, raw, conversation, model, cache: state.cache };
    if (script !== undefined) return answerFromScript(script, asked);
    if (brain !== undefined) return answerFromBrain(brain, asked);
  }
  return { type: 'refused', refusal: invalid('no rules for this agent') };
}

interface Known {
  readonly body?: Fields;
  readonly conversation?: string;
  readonly verdict?: ReturnType<typeof judgePrefix>;
}

function record(state: State, raw: string, answer: Answer, { body, conversation, verdict }: Known): void {
  const name = body?.['model'];
  const maxTokens = body?.['max_tokens'];
  const model =
    typeof name === 'string' && Object.hasOwn(state.prices, name) ? state.prices[name] : undefined;
  const usage = usageOf(answer);
  state.log.add({
    conversation: conversation ?? null,
    model: typeof name === 'string' ? name.slice(0, 64) : null,
    status: answer.type === 'answered' ? answer.status : answer.refusal.status,
    usage: usage ?? null,
    costMicroUsd: model === undefined ? null : billOf(model, usage),
    maxTokens: typeof maxTokens === 'number' ? maxTokens : null,
    requestBytes: utf8Bytes(raw),
    ...(verdict ?? { prefixIntact: null }),
    ...(answer.type === 'refused' ? { problem: answer.refusal.message } : {}),
    at: new Date(state.now()).toISOString(),
  });
}

function usageOf(answer: Answer): TokenUsage | undefined {
  return answer.type === 'answered' && answer.status === 200 ? billedTokens(usageIn(answer.body)) : undefined;
}

function writeOut(answer: Answer, requestId: string): HttpAnswer {
  const shown = answer.type === 'answered' ? answer : refusedAnswer(answer.refusal, requestId);
  const text = typeof shown.body === 'string' ? shown.body : JSON.stringify(shown.body);
  const html = typeof shown.body === 'string' && shown.body.trimStart().startsWith('<');
  const lower = Object.entries(shown.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    status: shown.status,
    headers: {
      'content-type': html ? 'text/html' : 'application/json',
      'request-id': requestId,
      ...Object.fromEntries(lower),
    },
    body: text,
    delayMs: shown.delayMs,
  };
}

function refusedAnswer({ status, type, message }: Refusal, requestId: string) {
  const body = { type: 'error', error: { type, message }, request_id: requestId };
  return { status, headers: {}, body, delayMs: 0 };
}
