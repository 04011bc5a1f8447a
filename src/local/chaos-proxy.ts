import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type HttpAnswer, throttleAnswers } from './chaos-answers.ts';
import { listen, readBody } from './local-server.ts';

/** Shares from 0 to below 1. @default 0 each */
export interface ProxyFaults {
  /** Of requests: done by the server, but the connection breaks before the answer. */
  readonly lostAnswer?: number;
  /** Of requests: answered as the real service answers one that asks too often; the server never sees them. */
  readonly throttle?: number;
  /** Of received messages: made visible again at once, so that somebody else gets them too. Of a queue only. */
  readonly duplicate?: number;
  /** Of answers: held back for up to `slowMs`. */
  readonly slow?: number;
  /** @default 1000 */
  readonly slowMs?: number;
}

export interface ChaosProxySettings {
  /** Base URL of the server behind. */
  readonly upstream: string;
  readonly service: keyof typeof throttleAnswers;
  readonly faults: ProxyFaults;
  /** At least 0, below 1. */
  readonly random: () => number;
}

/** What was really done. */
export interface ProxyCounts {
  readonly requests: number;
  readonly lostAnswers: number;
  readonly throttles: number;
  /** Messages that were handed to a second receiver after they had been made visible again. */
  readonly duplicates: number;
  readonly slowed: number;
}

export interface ChaosProxy {
  /** Base URL for clients. */
  readonly endpoint: string;
  readonly counts: () => ProxyCounts;
  /** Ends open connections too. */
  readonly close: () => Promise<void>;
}

/** Longer than the pools of clients keep a connection, so that they never write to one that is being closed. */
const KEEP_ALIVE_MS = 60_000;

/** Stands between a server and its clients and does to their requests what networks and services do on a bad day. */
export async function startChaosProxy(settings: ChaosProxySettings): Promise<ChaosProxy> {
  const { faults, random, service, upstream } = settings;
  const agent = new Agent({ keepAlive: true });
  const counts = { requests: 0, lostAnswers: 0, throttles: 0, slowed: 0 };
  const chance = (share = 0): boolean => random() < share;
  const forward = (asked: Asked): Promise<HttpAnswer> => pass(upstream, agent, asked);
  const repeater = createRepeater(forward, () => chance(faults.duplicate));

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    if (body === undefined) return void response.destroy();
    const asked: Asked = { method: request.method, path: request.url, headers: request.headers, body };
    counts.requests += 1;
    if (chance(faults.throttle)) {
      counts.throttles += 1;
      return reply(response, throttleAnswers[service](random()));
    }
    const answer = await forward(asked);
    if (chance(faults.slow)) {
      counts.slowed += 1;
      await sleep(random() * (faults.slowMs ?? 1_000));
    }
    if (response.destroyed) return;
    if (chance(faults.lostAnswer)) {
      counts.lostAnswers += 1;
      request.socket.destroy();
      return;
    }
    reply(response, answer);
    if (service === 'sqs') await repeater.see(asked, answer);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const port = await listen(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    counts: () => ({ ...counts, duplicates: repeater.count() }),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
        agent.destroy();
      }),
  };
}

interface Asked {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** What belongs to one connection and not to the message. */
const hopHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

function endToEnd(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name]) => !hopHeaders.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']));
}

function pass(upstream: string, agent: Agent, { method, path, headers, body }: Asked): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const onward = { ...endToEnd(headers), 'content-length': body.length };
    const request = send(new URL(path ?? '/', upstream), { method, headers: onward, agent }, (answer) => {
      readBody(answer).then((whole) => {
        if (whole === undefined) return reject(new Error('the server broke off its answer'));
        resolve({ status: answer.statusCode ?? 502, headers: endToEnd(answer.headers), body: whole });
      }, reject);
    });
    request.once('error', reject);
    request.end(body);
  });
}

function reply(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

const receiveShape = z.object({ QueueUrl: z.string() });
const receivedShape = z.object({
  Messages: z.array(z.object({ MessageId: z.string(), ReceiptHandle: z.string() })).default([]),
});

function parsed<Shape>(schema: z.ZodType<Shape>, json: string | Buffer): Shape | undefined {
  try {
    return schema.safeParse(JSON.parse(String(json))).data;
  } catch {
    return undefined;
  }
}

/** Asks the queue to deliver some of the messages that somebody has just received once more, and counts those that were. */
function createRepeater(forward: (asked: Asked) => Promise<HttpAnswer>, chosen: () => boolean) {
  const waiting = new Set<string>();
  let repeated = 0;
  return {
    count: () => repeated,
    see: async (asked: Asked, answer: HttpAnswer): Promise<void> => {
      if (asked.headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage' || answer.status !== 200) return;
      const QueueUrl = parsed(receiveShape, asked.body)?.QueueUrl;
      for (const { MessageId, ReceiptHandle } of parsed(receivedShape, answer.body)?.Messages ?? []) {
        if (waiting.delete(MessageId)) repeated += 1;
        if (!chosen()) continue;
        const headers = { ...asked.headers, 'x-amz-target': 'AmazonSQS.ChangeMessageVisibility' };
        const body = Buffer.from(JSON.stringify({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
        const { status } = await forward({ ...asked, headers, body });
        if (status === 200) waiting.add(MessageId);
      }
    },
  };
}
