import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { SQSEvent } from 'aws-lambda';
import { listen, readBody } from '../../../src/local/local-server.ts';
import type { DeployedFunction } from './function.ts';

/*
 * How Lambda finds out that a function feeds itself. The SDK sends the trace of the invocation with every request, as
 * the header `X-Amzn-Trace-Id`; SQS keeps it with the message as the attribute `AWSTraceHeader`; Lambda reads the number
 * of passes in its `Lineage`, and hands the function the trace with one more. The stand-in for SQS drops the header, so
 * that a proxy before it does what SQS does.
 */

export interface TracingQueue {
  /** In place of the stand-in's. */
  readonly endpoint: string;
  readonly close: () => void;
}

const unforwarded = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

interface Received {
  readonly Messages?: readonly { readonly MessageId: string; readonly Attributes?: object }[];
}

/** Keeps the trace header that a message was sent with, and hands it out with the message. */
export async function startTracingQueue(upstream: string): Promise<TracingQueue> {
  const traces = new Map<string, string>();
  const withTrace = (text: string): string => {
    const received = JSON.parse(text) as Received;
    const messages = received.Messages?.map((message) => {
      const trace = traces.get(message.MessageId);
      if (trace === undefined) return message;
      return { ...message, Attributes: { ...message.Attributes, AWSTraceHeader: trace } };
    });
    return JSON.stringify(messages === undefined ? received : { ...received, Messages: messages });
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await readBody(request)) ?? Buffer.alloc(0);
    const headers = Object.entries(request.headers).filter(([name]) => !unforwarded.has(name));
    const answer = await fetch(`${upstream}${request.url}`, {
      method: request.method ?? 'POST',
      headers: headers.map(([name, value]) => [name, String(value)]),
      body: new Uint8Array(body),
    });
    let text = await answer.text();
    const action = String(request.headers['x-amz-target']).split('.')[1];
    const trace = request.headers['x-amzn-trace-id'];
    if (answer.ok && action === 'SendMessage' && trace !== undefined) {
      traces.set((JSON.parse(text) as { readonly MessageId: string }).MessageId, String(trace));
    }
    if (answer.ok && action === 'ReceiveMessage') text = withTrace(text);
    const type = answer.headers.get('content-type') ?? 'application/x-amz-json-1.0';
    response.writeHead(answer.status, { 'content-type': type }).end(text);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  return {
    endpoint: `http://127.0.0.1:${await listen(server)}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export type RecursiveLoop = 'Allow' | 'Terminate';

/** After so many passes of one chain Lambda does not invoke the function again. */
const MAX_PASSES = 16;

export interface SourceOfEvents {
  readonly handler: (event: SQSEvent) => Promise<unknown>;
  /** Invocations that were refused because of a loop. */
  readonly refused: () => number;
  /** The most passes of one chain so far. */
  readonly longestChain: () => number;
}

/** Lambda's side: counts the passes of each chain, and refuses what goes on too long unless the function may loop. */
export function detectRecursion(worker: DeployedFunction, recursiveLoop: RecursiveLoop): SourceOfEvents {
  let refused = 0;
  let longest = 0;
  return {
    handler: async (event) => {
      const passes = event.Records.map(({ attributes }) => passesOf(attributes.AWSTraceHeader));
      const most = Math.max(0, ...passes);
      if (recursiveLoop === 'Terminate' && most >= MAX_PASSES) {
        refused += 1;
        throw new Error(`a loop was stopped after ${most} passes`);
      }
      longest = Math.max(longest, most + 1);
      return worker.invoke(event, traceOf(most + 1));
    },
    refused: () => refused,
    longestChain: () => longest,
  };
}

function passesOf(trace: string | undefined): number {
  return Number(/Lineage=\d+:[0-9a-f]+:(\d+)/.exec(trace ?? '')?.[1] ?? 0);
}

const traceOf = (passes: number): string =>
  `Root=1-6933f2a1-0123456789abcdef01234567;Parent=0123456789abcdef;Sampled=0;Lineage=1:a87bd80c:${passes}`;
