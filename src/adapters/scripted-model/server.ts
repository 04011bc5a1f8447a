import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAX_BODY_BYTES } from './check-request.ts';
import {
  createScriptedModel,
  type HttpAnswer,
  type ScriptedModel,
  type ScriptedModelOptions,
} from './model.ts';

/** Longer than the pools of clients keep a connection, so that they never write to one that is being closed. */
const KEEP_ALIVE_MS = 60_000;

export interface ScriptedServer {
  /** Base URL for a client, without `/v1`. */
  readonly url: string;
  readonly model: ScriptedModel;
  /** Ends open connections too. */
  readonly close: () => Promise<void>;
}

/** Serves a scripted model over HTTP on this machine only. `port` defaults to 0: any free one. */
export async function startScriptedModel(
  options: ScriptedModelOptions & { readonly port?: number; readonly host?: '127.0.0.1' },
): Promise<ScriptedServer> {
  const model = createScriptedModel(options);
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((request, response) => {
    void serve(model, request, response, timers);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  return {
    url: `http://${host}:${portOf(server.address())}`,
    model,
    close: () =>
      new Promise((resolve, reject) => {
        for (const timer of timers) clearTimeout(timer);
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function serve(
  model: ScriptedModel,
  request: IncomingMessage,
  response: ServerResponse,
  timers: Set<NodeJS.Timeout>,
): Promise<void> {
  let body: string;
  try {
    body = await readBody(request);
  } catch {
    // The client went away before it had asked anything.
    return;
  }
  const answer = respond(model, request, body);
  if (answer.delayMs === 0) return send(response, answer);
  const timer = setTimeout(() => {
    timers.delete(timer);
    send(response, answer);
  }, answer.delayMs);
  timers.add(timer);
}

function respond(model: ScriptedModel, request: IncomingMessage, body: string): HttpAnswer {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]);
  try {
    return model.respond({
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: Object.fromEntries(headers),
      body,
    });
  } catch (error) {
    const message = `the rules failed: ${error instanceof Error ? error.name : 'unknown error'}`;
    const json = JSON.stringify({ type: 'error', error: { type: 'api_error', message } });
    return { status: 500, headers: { 'content-type': 'application/json' }, body: json, delayMs: 0 };
  }
}

/** Reads a body. Of one that is too long only so much is kept that the model sees it is. */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, answer: HttpAnswer): void {
  response.writeHead(answer.status, { ...answer.headers });
  response.end(answer.body);
}
