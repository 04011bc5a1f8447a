import type * as z from 'zod';
import type { Problem } from './api/problem.ts';
import type { agentList } from './api/schemas/agent.ts';
import type { approvalList, decision } from './api/schemas/approval.ts';
import type { batch, batchList, fileQuery, newBatch, result, rowsTaken } from './api/schemas/batch.ts';
import type {
  extension,
  job,
  jobList,
  messageList,
  newJob,
  retry,
  statuses,
  stepList,
  stopReasons,
} from './api/schemas/job.ts';
import type {
  costKeys,
  costList,
  deadLetter,
  deadLetterList,
  health,
  switched,
} from './api/schemas/operations.ts';

export type Job = z.output<typeof job>;
export type NewJob = z.input<typeof newJob>;
export type Batch = z.output<typeof batch>;
export type NewBatch = z.input<typeof newBatch>;
export type RowsTaken = z.output<typeof rowsTaken>;
export type Result = z.output<typeof result>;
export type Approval = z.output<typeof approvalList>['items'][number];
export type Decision = z.input<typeof decision>;
export type Health = z.output<typeof health>;
export type DeadLetter = z.output<typeof deadLetter>;
export type JobStatus = (typeof statuses)[number];
export type StopReason = (typeof stopReasons)[number];

type Switched = z.output<typeof switched>;

/** One answer of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null when there is nothing more. */
  readonly cursor: string | null;
}

export interface PageOptions {
  /** 1 to 200. @default 50 */
  readonly limit?: number;
  readonly cursor?: string;
}

export interface JobFilter extends PageOptions {
  readonly status?: JobStatus;
  readonly stop?: StopReason;
  readonly agent?: string;
  readonly batch?: string;
}

/** The same key gives the same answer, and changes nothing a second time. */
export interface Keyed {
  /** 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string;
}

/** A file of rows or of tickets. */
export interface RowsFile {
  readonly type: 'text/csv' | 'application/x-ndjson';
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** What a batch is made with, beside a file. */
export type BatchOptions = { readonly agent: string } & z.output<typeof fileQuery>;

/** An answer that is no success. `problem` says what is wrong, for programs and for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly problem: Partial<Problem>;
  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? `the server answered ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

export interface ClientOptions {
  /** `http://127.0.0.1:8787`, or the address of the deployed API. */
  readonly endpoint: string;
  /** Sent with every request: a token, or locally `x-treadle-tenant`. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the requests; one that signs them goes here. @default the platform's own */
  readonly fetch?: typeof fetch;
}

/** What a request is made of beside its method and path. */
interface Ask extends Keyed {
  readonly query?: object;
  readonly body?: unknown;
  /** In place of a JSON body. */
  readonly file?: RowsFile;
}

const nothingThere = { type: 'urn:treadle:not_found', status: 404, detail: 'there is no such id' } as const;

type Send = (method: 'GET' | 'POST' | 'DELETE', path: string, ask?: Ask) => Promise<Response>;

function sender({ endpoint, headers = {}, fetch: send = fetch }: ClientOptions): Send {
  const base = endpoint.replace(/\/$/, '');
  return async (method, path, { query = {}, idempotencyKey, ...sent } = {}) => {
    // Such a segment would be taken for another route, or for none: nothing has such an id.
    if (/\/\.{0,2}(\/|$)/.test(path)) throw new ApiError(404, nothingThere);
    const { type, body } = sent.file ?? { type: 'application/json', body: jsonOf(sent.body) };
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) parameters.set(name, String(value));
    const search = parameters.size === 0 ? '' : `?${parameters}`;
    const response = await send(`${base}${path}${search}`, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': type }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body }),
    });
    if (response.ok) return response;
    throw new ApiError(response.status, problemOf(parsed(await response.text().catch(() => ''))));
  };
}

/** What is no text, or no list, is left out: anybody may have answered. */
function problemOf(answer: unknown): Partial<Problem> {
  if (!isObject(answer)) return {};
  const known = Object.entries(answer).filter(([name, value]) =>
    name === 'errors' ? Array.isArray(value) : name === 'status' || typeof value === 'string',
  );
  return Object.fromEntries(known);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Ids are safe in a URL, and so in a command that is printed to be copied. */
const isId = (value: unknown): boolean => typeof value === 'string' && /^[\w-]+$/.test(value);

/** Whether a property that is in every answer of its kind is what it must be: else a stranger answered. */
function isGiven(name: string, value: unknown): boolean {
  switch (name) {
    case 'id':
      return isId(value);
    case 'items':
      return Array.isArray(value) && value.every((item) => isObject(item) && isId(item['id'] ?? 'none'));
    case 'ok':
    case 'stopped':
      return typeof value === 'boolean';
    default:
      return value !== undefined;
  }
}

const stranger = (response: Response): ApiError =>
  new ApiError(response.status, { detail: 'the answer is none of this API' });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isResult = (line: unknown): line is Result => isObject(line) && 'jobId' in line;

/** An answer as JSON, if it has the property that tells it from what any other server says. */
async function answerOf<T>(response: Response, name: keyof T & string): Promise<T> {
  const answer = parsed(await response.text());
  if (!isObject(answer) || !isGiven(name, answer[name])) throw stranger(response);
  return answer as T;
}

const jsonOf = (body: unknown): string | undefined => (body === undefined ? undefined : JSON.stringify(body));

const at = (strings: TemplateStringsArray, ...ids: readonly string[]): string =>
  String.raw({ raw: strings }, ...ids.map(encodeURIComponent));

/**
 * The API as functions, typed by the schemas that check its requests. Every function rejects with `ApiError` for an answer
 * that is no success, or that another server than this API gave. Runs wherever there is `fetch`.
 */
export function createClient(options: ClientOptions) {
  const send = sender(options);
  const read: Read = async (name, path, query) =>
    answerOf(await send('GET', path, query === undefined ? {} : { query }), name);
  const change: Change = async (name, path, body, keyed = {}) =>
    answerOf(await send('POST', path, { ...keyed, ...(body === undefined ? {} : { body }) }), name);
  /** Nobody may believe that all is stopped because somebody else answered. */
  const switchTo = async (stopped: boolean, scope: 'tenant' | 'all'): Promise<Switched> => {
    const response = await send('POST', `/control/${stopped ? 'stop' : 'start'}`, { body: { scope } });
    const answer = await answerOf<Switched>(response, 'stopped');
    if (answer.stopped !== stopped) throw stranger(response);
    return answer;
  };
  return {
    ...jobCalls(send, read, change),
    ...batchCalls(send, read, change),
    approvals: (page?: PageOptions) => read<z.output<typeof approvalList>>('items', '/approvals', page),
    agents: (page?: PageOptions) => read<z.output<typeof agentList>>('items', '/agents', page),
    costs: (by: (typeof costKeys)[number], page?: PageOptions) =>
      read<z.output<typeof costList>>('items', '/costs', { by, ...page }),
    health: () => read<Health>('ok', '/health'),
    deadLetters: (page?: PageOptions) =>
      read<z.output<typeof deadLetterList>>('items', '/dead-letters', page),
    redrive: (id: string) => change<DeadLetter>('id', at`/dead-letters/${id}/redrive`),
    /** Nothing is admitted or called until it is started again: for one's own tenant, or for everybody. */
    stopAll: (scope: 'tenant' | 'all' = 'tenant') => switchTo(true, scope),
    startAll: (scope: 'tenant' | 'all' = 'tenant') => switchTo(false, scope),
    openApi: () => read<Readonly<Record<string, unknown>>>('openapi', '/openapi.json'),
  };
}

export type Client = ReturnType<typeof createClient>;

type Read = <T>(name: keyof T & string, path: string, query?: object) => Promise<T>;
type Change = <T>(name: keyof T & string, path: string, body?: unknown, keyed?: Keyed) => Promise<T>;

function jobCalls(send: Send, read: Read, change: Change) {
  return {
    submit: (wanted: NewJob, keyed?: Keyed) => change<Job>('id', '/jobs', wanted, keyed),
    job: (id: string) => read<Job>('id', at`/jobs/${id}`),
    jobs: (filter?: JobFilter) => read<z.output<typeof jobList>>('items', '/jobs', filter),
    steps: (id: string, page?: PageOptions) =>
      read<z.output<typeof stepList>>('items', at`/jobs/${id}/steps`, page),
    messages: (id: string, page?: PageOptions) =>
      read<z.output<typeof messageList>>('items', at`/jobs/${id}/messages`, page),
    cancel: (id: string) => change<Job>('id', at`/jobs/${id}/cancel`),
    decide: (id: string, callId: string, verdict: Decision) =>
      change<Job>('id', at`/jobs/${id}/approvals/${callId}`, verdict),
    extend: (id: string, more: z.input<typeof extension> = {}) =>
      change<Job>('id', at`/jobs/${id}/extend`, more),
    retry: (id: string, from: z.input<typeof retry> = {}) => change<Job>('id', at`/jobs/${id}/retry`, from),
    followUp: (id: string, content: string, keyed?: Keyed) =>
      change<Job>('id', at`/jobs/${id}/messages`, { content }, keyed),
    deleteJob: async (id: string): Promise<void> => {
      const response = await send('DELETE', at`/jobs/${id}`);
      if (response.status !== 204) throw stranger(response);
    },
  };
}

function batchCalls(send: Send, read: Read, change: Change) {
  return {
    submitBatch: (wanted: NewBatch, keyed?: Keyed) => change<RowsTaken>('id', '/batches', wanted, keyed),
    addRows: (id: string, rows: NewBatch['rows']) =>
      change<RowsTaken>('id', at`/batches/${id}/rows`, { rows }),
    submitFile: async (file: RowsFile, query: BatchOptions, keyed: Keyed = {}): Promise<RowsTaken> =>
      answerOf(await send('POST', '/batches', { ...keyed, query, file }), 'id'),
    addFile: async (id: string, file: RowsFile): Promise<RowsTaken> =>
      answerOf(await send('POST', at`/batches/${id}/rows`, { file }), 'id'),
    closeBatch: (id: string) => change<Batch>('id', at`/batches/${id}/close`),
    batch: (id: string) => read<Batch>('id', at`/batches/${id}`),
    batches: (page?: PageOptions) => read<z.output<typeof batchList>>('items', '/batches', page),
    pauseBatch: (id: string) => change<Batch>('id', at`/batches/${id}/pause`),
    resumeBatch: (id: string) => change<Batch>('id', at`/batches/${id}/resume`),
    cancelBatch: (id: string) => change<Batch>('id', at`/batches/${id}/cancel`),
    extendBatch: (id: string, addUsd: number, keyed?: Keyed) =>
      change<Batch>('id', at`/batches/${id}/extend`, { addUsd }, keyed),
    /** Rows that ended so far, in their order. */
    results: async (id: string, page: PageOptions = {}): Promise<Page<Result>> => {
      const response = await send('GET', at`/batches/${id}/results`, {
        query: { ...page, format: 'jsonl' },
      });
      const lines = (await response.text()).split('\n').filter((line) => line !== '');
      const items = lines.map(parsed).filter(isResult);
      if (items.length < lines.length) throw stranger(response);
      return { items, cursor: response.headers.get('x-treadle-cursor') };
    },
    /** The same as CSV, each page with its own header line. */
    resultsCsv: async (
      id: string,
      page: PageOptions = {},
    ): Promise<{ readonly csv: string; readonly cursor: string | null }> => {
      const response = await send('GET', at`/batches/${id}/results`, { query: { ...page, format: 'csv' } });
      if (!response.headers.get('content-type')?.startsWith('text/csv')) throw stranger(response);
      return { csv: await response.text(), cursor: response.headers.get('x-treadle-cursor') };
    },
  };
}
