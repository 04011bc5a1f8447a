import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelRequest } from '../../src/ports.ts';

export interface Seen {
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface MessagesServer {
  readonly url: string;
  /** What came in, the oldest first. */
  readonly seen: Seen[];
  /** What is answered from now on. */
  answer: (response: ServerResponse, request: Seen) => void;
  readonly close: () => Promise<void>;
}

export const aMessage = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 5 },
};

export const aRequest: ModelRequest = {
  model: 'claude-haiku-5-5',
  maxTokens: 1_000,
  system: 'Be brief.',
  effort: 'low',
  dropBoundThinking: false,
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'a secret' }] }],
  conversation: 'job-key',
};

/** An answer with a body as JSON, or with a text as it is. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** A server on loopback that answers as it is told and keeps what it was asked. */
export async function startMessagesServer(): Promise<MessagesServer> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const one = { url: request.url, headers: request.headers, body };
    seen.push(one);
    own.answer(response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own: MessagesServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answer: json(200, aMessage),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return own;
}
