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

type Send = (method: 'GET' | 'POST' | 'DELETE', path: string, ask?: Ask) => Promise<Response>;

function sender({ endpoint, headers = {}, fetch: send = fetch }: ClientOptions): Send {
  const base = endpoint.replace(/\/$/, '');
  return async (method, path, { query = {}, idempotencyKey, ...sent } = {}) => {
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
    const problem: unknown = await response.json().catch(() => ({}));
    throw new ApiError(response.status, problem as Partial<Problem>);
  };
}

const jsonOf = (body: unknown): string | undefined => (body === undefined ? undefined : JSON.stringify(body));

const at = (strings: TemplateStringsArray, ...ids: readonly string[]): string =>
  String.raw({ raw: strings }, ...ids.map(encodeURIComponent));

/**
 * The API as functions, typed by the schemas that check its requests. Every function rejects with `ApiError` for an answer
 * that is no success. Runs wherever there is `fetch`.
 */
export function createClient(options: ClientOptions) {
  const send = sender(options);
  const read = async <T>(path: string, query?: object): Promise<T> =>
    (await send('GET', path, query === undefined ? {} : { query })).json() as Promise<T>;
  const change = async <T>(path: string, body?: unknown, keyed: Keyed = {}): Promise<T> =>
    (await send('POST', path, { ...keyed, ...(body === undefined ? {} : { body }) })).json() as Promise<T>;
  return {
    ...jobCalls(send, read, change),
    ...batchCalls(send, read, change),
    approvals: (page?: PageOptions) => read<z.output<typeof approvalList>>('/approvals', page),
    agents: (page?: PageOptions) => read<z.output<typeof agentList>>('/agents', page),
    costs: (by: (typeof costKeys)[number], page?: PageOptions) =>
      read<z.output<typeof costList>>('/costs', { by, ...page }),
    health: () => read<Health>('/health'),
    deadLetters: (page?: PageOptions) => read<z.output<typeof deadLetterList>>('/dead-letters', page),
    redrive: (id: string) => change<DeadLetter>(at`/dead-letters/${id}/redrive`),
    /** Nothing is admitted or called until it is started again: for one's own tenant, or for everybody. */
    stopAll: (scope: 'tenant' | 'all' = 'tenant') =>
      change<z.output<typeof switched>>('/control/stop', { scope }),
    startAll: (scope: 'tenant' | 'all' = 'tenant') =>
      change<z.output<typeof switched>>('/control/start', { scope }),
    openApi: () => read<Readonly<Record<string, unknown>>>('/openapi.json'),
  };
}

export type Client = ReturnType<typeof createClient>;

type Read = <T>(path: string, query?: object) => Promise<T>;
type Change = <T>(path: string, body?: unknown, keyed?: Keyed) => Promise<T>;

function jobCalls(send: Send, read: Read, change: Change) {
  return {
    submit: (wanted: NewJob, keyed?: Keyed) => change<Job>('/jobs', wanted, keyed),
    job: (id: string) => read<Job>(at`/jobs/${id}`),
    jobs: (filter?: JobFilter) => read<z.output<typeof jobList>>('/jobs', filter),
    steps: (id: string, page?: PageOptions) => read<z.output<typeof stepList>>(at`/jobs/${id}/steps`, page),
    messages: (id: string, page?: PageOptions) =>
      read<z.output<typeof messageList>>(at`/jobs/${id}/messages`, page),
    cancel: (id: string) => change<Job>(at`/jobs/${id}/cancel`),
    decide: (id: string, callId: string, verdict: Decision) =>
      change<Job>(at`/jobs/${id}/approvals/${callId}`, verdict),
    extend: (id: string, more: z.input<typeof extension> = {}) => change<Job>(at`/jobs/${id}/extend`, more),
    retry: (id: string, from: z.input<typeof retry> = {}) => change<Job>(at`/jobs/${id}/retry`, from),
    followUp: (id: string, content: string, keyed?: Keyed) =>
      change<Job>(at`/jobs/${id}/messages`, { content }, keyed),
    deleteJob: async (id: string): Promise<void> => {
      await send('DELETE', at`/jobs/${id}`);
    },
  };
}

function batchCalls(send: Send, read: Read, change: Change) {
  return {
    submitBatch: (wanted: NewBatch, keyed?: Keyed) => change<RowsTaken>('/batches', wanted, keyed),
    addRows: (id: string, rows: NewBatch['rows']) => change<RowsTaken>(at`/batches/${id}/rows`, { rows }),
    submitFile: async (file: RowsFile, query: BatchOptions, keyed: Keyed = {}): Promise<RowsTaken> =>
      (await send('POST', '/batches', { ...keyed, query, file })).json() as Promise<RowsTaken>,
    addFile: async (id: string, file: RowsFile): Promise<RowsTaken> =>
      (await send('POST', at`/batches/${id}/rows`, { file })).json() as Promise<RowsTaken>,
    closeBatch: (id: string) => change<Batch>(at`/batches/${id}/close`),
    batch: (id: string) => read<Batch>(at`/batches/${id}`),
    batches: (page?: PageOptions) => read<z.output<typeof batchList>>('/batches', page),
    pauseBatch: (id: string) => change<Batch>(at`/batches/${id}/pause`),
    resumeBatch: (id: string) => change<Batch>(at`/batches/${id}/resume`),
    cancelBatch: (id: string) => change<Batch>(at`/batches/${id}/cancel`),
    extendBatch: (id: string, addUsd: number, keyed?: Keyed) =>
      change<Batch>(at`/batches/${id}/extend`, { addUsd }, keyed),
    /** Rows that ended so far, in their order. */
    results: async (id: string, page: PageOptions = {}): Promise<Page<Result>> => {
      const response = await send('GET', at`/batches/${id}/results`, {
        query: { ...page, format: 'jsonl' },
      });
      const lines = (await response.text()).split('\n').filter((line) => line !== '');
      const items = lines.map((line) => JSON.parse(line) as Result);
      return { items, cursor: response.headers.get('x-treadle-cursor') };
    },
    /** The same as CSV, each page with its own header line. */
    resultsCsv: async (
      id: string,
      page: PageOptions = {},
    ): Promise<{ readonly csv: string; readonly cursor: string | null }> => {
      const response = await send('GET', at`/batches/${id}/results`, { query: { ...page, format: 'csv' } });
      return { csv: await response.text(), cursor: response.headers.get('x-treadle-cursor') };
    },
  };
}
