import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import dynalite from 'dynalite';
import { buildApp } from 'fauxqs';
import { isForeign, listen, shield } from './local-server.ts';

/** SQS and DynamoDB on this machine, spoken to over their wire protocols. */
export interface StandIns {
  readonly sqsEndpoint: string;
  readonly dynamodbEndpoint: string;
  /** Finishes the writes under way, then stops both. Stop polling first: an open long poll is cut off. */
  readonly close: () => Promise<void>;
}

interface LocalServer {
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

const CLOSE_MS = 1_000;

async function startDynamodb(folder: string | undefined): Promise<LocalServer> {
  const path = folder === undefined ? undefined : join(folder, 'dynamodb');
  if (path !== undefined) await mkdir(path, { recursive: true });
  const server = dynalite({ createTableMs: 0, ...(path === undefined ? {} : { path }) });
  shield(server);
  const port = await listen(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve, reject) => {
        // A kept-alive connection that never falls silent would hold the server, and the files, open.
        const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
        server.close((error) => {
          clearTimeout(cut);
          if (error) reject(error);
          else resolve();
        });
      }),
  };
}

/**
 * fauxqs's own start function listens on every interface of the machine, so the app is put on loopback here. It also
 * names queues by a host that many resolvers do not know: on the way out that host becomes the address, on the way in
 * the address becomes that host again, the name by which fauxqs finds the queue.
 */
async function startSqs(): Promise<LocalServer> {
  const app = buildApp({ logger: false });
  let inside = '';
  let outside = '';
  app.addHook('onRequest', async (request, reply) => {
    if (isForeign(request.headers)) return reply.code(403).send();
    return undefined;
  });
  app.addHook('preHandler', async ({ body }) => {
    if (typeof body !== 'object' || body === null || !('QueueUrl' in body)) return;
    if (typeof body.QueueUrl !== 'string' || !body.QueueUrl.startsWith(outside)) return;
    body.QueueUrl = `${inside}${body.QueueUrl.slice(outside.length)}`;
  });
  app.addHook('preSerialization', async (_request, _reply, payload) => {
    if (typeof payload !== 'object' || payload === null) return payload;
    const rename = (url: unknown) => (typeof url === 'string' ? url.replace(inside, outside) : url);
    if ('QueueUrl' in payload) return { ...payload, QueueUrl: rename(payload.QueueUrl) };
    if ('QueueUrls' in payload && Array.isArray(payload.QueueUrls)) {
      return { ...payload, QueueUrls: payload.QueueUrls.map(rename) };
    }
    return payload;
  });
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  outside = `http://127.0.0.1:${port}/`;
  inside = `http://sqs.us-east-1.localhost:${port}/`;
  return { endpoint: outside.slice(0, -1), close: () => app.close() };
}

/**
 * Starts both stand-ins in this process, on free ports of 127.0.0.1. With `dataDir` the table is kept in a folder
 * there; the queue lives in memory only, and the reconciler makes up for that. One process per `dataDir`.
 */
export async function startStandIns({ dataDir }: { readonly dataDir?: string } = {}): Promise<StandIns> {
  const dynamodb = await startDynamodb(dataDir);
  const sqs = await startSqs();
  return {
    sqsEndpoint: sqs.endpoint,
    dynamodbEndpoint: dynamodb.endpoint,
    close: async () => {
      await Promise.all([sqs.close(), dynamodb.close()]);
    },
  };
}

export { ensureQueues, ensureTable, localAwsClients, type QueueSettings, type Queues } from './provision.ts';
