import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createScriptedModel } from '../../src/adapters/scripted-model/model.ts';
import { readScript } from '../../src/adapters/scripted-model/script.ts';

/** The scripted model in a process of its own, for both agents: its address is the one line on stdout. */
const script = readScript(readFileSync(new URL('model.json', import.meta.url), 'utf8'));
const model = createScriptedModel({ script });
/** As long as places must be held until all are taken and a job is measured; shorter than an invocation may take. */
const LONG_MS = 100_000;

const server = createServer(async (request, response) => {
  if (request.url === '/_bill') {
    response.end(JSON.stringify({ billedMicroUsd: model.billedMicroUsd() }));
    return;
  }
  const body = await text(request);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]);
  const answer = model.respond({
    ...{ method: request.method ?? 'GET', path: request.url ?? '/', body },
    headers: Object.fromEntries(headers),
  });
  const delayMs = body.includes('Think for long.') ? LONG_MS : answer.delayMs;
  const timer = setTimeout(() => response.writeHead(answer.status, answer.headers).end(answer.body), delayMs);
  response.once('close', () => clearTimeout(timer));
});
server.keepAliveTimeout = 60_000;
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
await new Promise((resolve) => process.once('SIGTERM', resolve));
server.close();
server.closeAllConnections();
