import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createScriptedModel, type ScriptedModel } from '../../../src/adapters/scripted-model/model.ts';
import type { ScriptTurn } from '../../../src/adapters/scripted-model/script.ts';
import { listen, readBody } from '../../../src/local/local-server.ts';

const reply = (content: readonly object[], stopReason: string): ScriptTurn => ({
  http: 200,
  body: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-5-5' },
    ...{ content, stop_reason: stopReason, stop_sequence: null, usage: 'count' },
  },
});

const call = (name: string, input: object): ScriptTurn =>
  reply([{ type: 'tool_use', id: `toolu_${name}`, name, input }], 'tool_use');

const answer = call('return_answer', {
  ...{ category: 'refund', priority: 'P3', sentiment: 'worried', language: 'en', route_to: 'returns' },
  ...{ summary: 'A cup arrived broken.', suggested_reply: 'We are sorry.', needs_human: false },
  ...{ confidence: 0.9, evidence: [] },
});
const refusal: ScriptTurn = {
  http: 400,
  body: { type: 'error', error: { type: 'invalid_request_error', message: 'no' } },
};

/** Long enough for a caller to find the call in flight. */
const SLOW_MS = 1_500;

/** What the model does, by a word of the input; about the order that the input names. The last turn is repeated. */
const scripts = {
  answers: () => [answer],
  slow: () => [{ ...answer, delayMs: SLOW_MS }],
  looks: (orderId: string) => [call('get_order', { orderId }), answer],
  pays: (orderId: string) => [call('issue_refund', { orderId, amountCents: 500 }), answer],
  fails: (orderId: string) => [call('issue_refund', { orderId, amountCents: 500 }), refusal, answer],
} as const satisfies Readonly<Record<string, (orderId: string) => readonly ScriptTurn[]>>;

export type Word = keyof typeof scripts;

const isWord = (word: string): word is Word => Object.hasOwn(scripts, word);

/** An input to which the model does what the word says. */
export const inputFor = (word: Word, order = 'ORD-1001'): string =>
  `The customer says: model-${word} ${order}.`;

export interface WordModel {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** A scripted model for each word and order, behind one address: what they check, count and keep apart is their own. */
export async function startWordModel(): Promise<WordModel> {
  const models = new Map<string, ScriptedModel>();
  const modelFor = (body: string): ScriptedModel => {
    const [name = '', word = 'answers', order = 'ORD-1001'] = /model-(\w+) (ORD-\d+)/.exec(body) ?? [];
    if (!isWord(word)) throw new Error(`no script for ${word}`);
    const script = { name: word, turns: [...scripts[word](order)], repeat_last: true };
    const model = models.get(name) ?? createScriptedModel({ script });
    models.set(name, model);
    return model;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = String((await readBody(request)) ?? '');
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]);
    const asked = { method: request.method ?? 'GET', path: request.url ?? '/', body };
    const said = modelFor(body).respond({ ...asked, headers: Object.fromEntries(headers) });
    const send = () => response.writeHead(said.status, { ...said.headers }).end(said.body);
    if (said.delayMs > 0) setTimeout(send, said.delayMs);
    else send();
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.writeHead(500).end());
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
