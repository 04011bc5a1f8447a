import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import { Readable } from 'node:stream';

const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/**
 * Whether a request came from a web page, or under a host name that is not this machine's: the stand-ins take any
 * credentials, so without this a page that guesses the port could read and change every job.
 */
export function isForeign({ origin, host }: IncomingHttpHeaders): boolean {
  const name = (host ?? '').replace(/:\d+$/, '');
  return origin !== undefined || !/^(127\.0\.0\.1|\[::1\]|([\w-]+\.)*localhost)$/.test(name);
}

/** The whole body of a request; undefined when it breaks off or is over 16 MiB. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes > MAX_REQUEST_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

/**
 * Hands requests to the server's own handler only once they are complete, and turns foreign ones away. dynalite throws
 * when a client disconnects half-way through a request, which would end the whole process whenever a client is killed.
 */
export function shield(server: Server): void {
  const [handle] = server.listeners('request');
  if (handle === undefined) return;
  server.removeAllListeners('request');
  server.on('request', async (request, response) => {
    if (isForeign(request.headers)) {
      response.writeHead(403).end();
      return;
    }
    const body = await readBody(request);
    if (body === undefined) {
      response.destroy();
      return;
    }
    const { method, url, headers } = request;
    handle.call(server, Object.assign(Readable.from([body]), { method, url, headers }), response);
  });
}

/** Listens on a free port of 127.0.0.1 and says which. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'));
      else resolve(address.port);
    });
  });
}
