import type * as z from 'zod';
import { fetchFor, regionOf } from '../adapters/signed-fetch.ts';
import { openApiDocument } from '../api/openapi.ts';
import { routes } from '../api/routes.ts';
import { agentList } from '../api/schemas/agent.ts';
import { health, openApi } from '../api/schemas/operations.ts';
import { LATE_SECONDS } from '../app/health.ts';
import { type Client, createClient } from '../client.ts';
import { printedJson } from '../core/printed.ts';
import { exitCode } from './exit-codes.ts';
import { hint } from './hint.ts';
import { type Complaint, readWell, whyNot } from './refusals.ts';
import type { Terminal } from './terminal.ts';

export interface DoctorOptions {
  readonly endpoint: string;
  readonly json: boolean;
}

/** One thing that was looked at. */
interface Check extends Partial<Complaint> {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Longer than a cold start of the API takes. */
const ANSWER_MS = 15_000;

/**
 * Looks at a deployment as its users see it: can it be reached, is it of this version, is its work going on. One line for
 * each check, with what to do where it fails. Returns 0 when all is well, else 1.
 */
export async function doctor(
  { endpoint, json }: DoctorOptions,
  terminal: Terminal,
  { send = fetchFor(endpoint), answerMs = ANSWER_MS } = {},
): Promise<number> {
  const bounded: typeof fetch = (input, init) =>
    send(input, { ...init, signal: AbortSignal.timeout(answerMs) });
  const checks = await examine(endpoint, createClient({ endpoint, fetch: bounded }));
  const ok = checks.every((check) => check.ok);
  terminal.out(json ? `${printedJson({ endpoint, ok, checks })}\n` : checks.map(lineOf).join(''));
  return ok ? exitCode.done : exitCode.error;
}

async function examine(endpoint: string, client: Client): Promise<readonly Check[]> {
  const document = await readWell(openApi, client.openApi);
  // Whatever is asked next would fail in the same way.
  if (document.type === 'failed') return [bad('reachable', whyNot(document.error, endpoint))];
  const region = regionOf(endpoint);
  const signed = region === undefined ? '' : `, requests signed for ${region}`;
  return [
    good('reachable', `${endpoint}${signed}`),
    ...versionChecks(document.value),
    ...(await healthChecks(endpoint, client)),
    await agentsCheck(endpoint, client),
  ];
}

const good = (name: string, detail: string): Check => ({ name, ok: true, detail });
const bad = (name: string, complaint: Complaint): Check => ({ name, ok: false, ...complaint });
const judged = (name: string, ok: boolean, detail: string, todo: string): Check =>
  ok ? good(name, detail) : bad(name, { detail, todo });

type Document = z.output<typeof openApi>;

const operationsOf = ({ paths }: Pick<Document, 'paths'>): readonly string[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  );

/** The deployment may know more than this client, but not less. */
function versionChecks(document: Document): readonly Check[] {
  const ours = openApi.parse(openApiDocument(routes));
  const [theirs, wanted] = [document, ours].map(({ info }) => plain(String(info['version'])));
  const known = new Set(operationsOf(document));
  const missing = operationsOf(ours).filter((operation) => !known.has(operation));
  const todo = 'deploy the version of this command, or use the command of that version';
  return [
    judged('version', theirs === wanted, `API ${theirs}, this command ${wanted}`, todo),
    judged(
      'routes',
      missing.length === 0,
      missing.length === 0 ? `all ${known.size} are there` : `missing: ${missing.join(', ')}`,
      todo,
    ),
  ];
}

async function healthChecks(endpoint: string, client: Client): Promise<readonly Check[]> {
  const answer = await readWell(health, client.health);
  if (answer.type === 'failed') return [bad('health', whyNot(answer.error, endpoint))];
  const { oldestDueSeconds, lapsedLeases, deadLetters, stopped } = answer.value;
  return [
    judged(
      'not stopped',
      !stopped,
      stopped ? 'the kill switch is on' : 'the kill switch is off',
      `${hint('start-all', endpoint)} once the cause is gone: docs/operate.md#kill-switch`,
    ),
    judged(
      'oldest due',
      oldestDueSeconds < LATE_SECONDS,
      `${oldestDueSeconds} s`,
      'the reconciler does not run or cannot keep up: docs/operate.md#oldest-due',
    ),
    judged(
      'lapsed leases',
      lapsedLeases === 0,
      String(lapsedLeases),
      'workers died in the middle of steps; ask again in two minutes, then docs/operate.md#stalled-jobs',
    ),
    judged(
      'dead letters',
      deadLetters === 0,
      String(deadLetters),
      `${hint('dlq list', endpoint)} says which, ${hint('dlq redrive --all', endpoint)} sends them when the cause is gone: docs/operate.md#dead-letters`,
    ),
  ];
}

async function agentsCheck(endpoint: string, client: Client): Promise<Check> {
  const answer = await readWell(agentList, client.agents);
  if (answer.type === 'failed') return bad('agents', whyNot(answer.error, endpoint));
  const names = answer.value.items.map(({ name, model }) => plain(`${name} (${model})`));
  return judged(
    'agents',
    names.length > 0,
    names.join(', ') || 'none',
    'deploy it with a module that exports agents: docs/deploy.md',
  );
}

/** What another machine says may hold codes that move the cursor. */
const plain = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 100);

function lineOf({ name, ok, detail, todo }: Check): string {
  const line = `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(13)}  ${detail}\n`;
  return todo === undefined ? line : `${line}${' '.repeat(21)}${todo}\n`;
}
