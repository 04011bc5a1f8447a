import * as z from 'zod';
import type { World } from '../app/world.ts';
import { type Answer, badRequest, notFound } from './answer.ts';
import { fieldErrors } from './field-errors.ts';
import type { ApiFiles } from './files.ts';
import type { Identity, Permission } from './identity.ts';
import type { ProblemStatus } from './problem.ts';
import type { BodyRules, FileBody, ReadBody } from './read-body.ts';

/** What a handler gets beside its request. */
export interface RouteContext {
  readonly world: World;
  readonly identity: Identity;
  /** What is wrong with the address of a webhook, as words that follow it. */
  readonly webhookProblem: (url: string) => string | undefined;
  readonly files: ApiFiles;
  /** The whole table, for the document. */
  readonly routes: readonly Route[];
}

export interface AnswerSpec {
  readonly description: string;
  /** Of the JSON body; none for an answer without a body or with text. */
  readonly schema?: z.ZodType;
  /** Of an answer that is text. @default JSON */
  readonly textTypes?: readonly string[];
  /** Headers of ours by name, each with what it says. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What stands before an example's request: the test that executes the examples makes it. */
export type Given =
  | 'nothing'
  | 'queued'
  | 'awaiting_approval'
  | 'succeeded'
  | 'stopped'
  | 'batch_open'
  | 'batch_paused'
  | 'batch_done'
  | 'counted'
  | 'dead_letter';

/** A request with its answer: shown in the document, and executed as it stands by a test. */
export interface Example {
  readonly name: string;
  readonly summary: string;
  readonly given: Given;
  readonly request: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    /** In place of a JSON body. */
    readonly file?: { readonly type: string; readonly text: string };
  };
  /** A body, where it is given, holds everything that does not change from run to run. */
  readonly answer: { readonly status: number; readonly body?: unknown };
}

/** A request before its schemas have seen it. */
export interface RawRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly header: (name: string) => string | undefined;
  readonly body: Exclude<ReadBody, { readonly type: 'refused' }> | undefined;
}

export type Tag = 'Jobs' | 'Approvals' | 'Batches' | 'Agents' | 'Operations';

/** What stands in the table whatever the types of the request are. */
interface RouteFacts {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/jobs/{id}` */
  readonly path: string;
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  readonly answers: Readonly<Record<number, AnswerSpec>>;
  /** Beside those that follow from the rest: 400, 403, 404, 413, 415 and 503. */
  readonly problems?: readonly ProblemStatus[];
  readonly examples: readonly Example[];
}

/** One route as the server and the document see it: the types of its request are erased, `answer` brings them back. */
export interface Route extends RouteFacts {
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly headers: z.ZodObject;
  readonly body: (BodyRules & { readonly schema: z.ZodType }) | undefined;
  readonly respond: (context: RouteContext, raw: RawRequest) => Promise<Answer>;
}

const nothing = z.strictObject({});
type Nothing = typeof nothing;

interface Parts<P, Q, H> {
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
}

export interface RouteSpec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  H extends z.ZodObject,
  B extends z.ZodType,
> extends RouteFacts {
  /** Each path parameter; a value that does not fit is answered 404. */
  readonly params?: P;
  /** Each query parameter, all others are refused. */
  readonly query?: Q;
  /** By the names that the document shows. */
  readonly headers?: H;
  readonly body?: BodyRules & { readonly schema: B };
  readonly handle: (
    context: RouteContext,
    request: Parts<z.output<P>, z.output<Q>, z.output<H>> & { readonly body: z.output<B> },
  ) => Promise<Answer>;
  /** For a body of one of `fileTypes`. */
  readonly handleFile?: (
    context: RouteContext,
    request: Parts<z.output<P>, z.output<Q>, z.output<H>> & { readonly file: FileBody },
  ) => Promise<Answer>;
}

/** Makes an entry of the route table. Its schemas both check the request and make the document. */
export function defineRoute<
  P extends z.ZodObject = Nothing,
  Q extends z.ZodObject = Nothing,
  H extends z.ZodObject = Nothing,
  B extends z.ZodType = z.ZodUnknown,
>(spec: RouteSpec<P, Q, H, B>): Route {
  // A part that is not given has the type that is its default.
  const paramsSchema = spec.params ?? (nothing as z.ZodObject as P);
  const querySchema = spec.query ?? (nothing as z.ZodObject as Q);
  const headersSchema = spec.headers ?? (nothing as z.ZodObject as H);
  const bodySchema = spec.body?.schema ?? (z.unknown() as z.ZodType as B);
  return {
    ...spec,
    params: paramsSchema,
    query: querySchema,
    headers: headersSchema,
    body: spec.body,
    respond: async (context, raw) => {
      const params = paramsSchema.safeParse(raw.params);
      if (!params.success) return notFound(nounOf(spec.path));
      const query = querySchema.safeParse(raw.query);
      if (!query.success) return badRequest(fieldErrors(query.error, 'query'));
      const headers = headersSchema.safeParse(headersOf(headersSchema, raw));
      if (!headers.success) return badRequest(fieldErrors(headers.error, 'headers'));
      const parts = { params: params.data, query: query.data, headers: headers.data };
      if (raw.body?.type === 'file' && spec.handleFile !== undefined) {
        return spec.handleFile(context, { ...parts, file: raw.body.file });
      }
      const body = bodySchema.safeParse(raw.body?.type === 'json' ? raw.body.value : undefined);
      if (!body.success) return badRequest(fieldErrors(body.error, 'body'));
      return spec.handle(context, { ...parts, body: body.data });
    },
  };
}

function headersOf(schema: z.ZodObject, raw: RawRequest): Readonly<Record<string, string>> {
  const given = Object.keys(schema.shape).map((name) => [name, raw.header(name)] as const);
  return Object.fromEntries(given.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** `/jobs/{id}/steps` is about a job. */
function nounOf(path: string): string {
  const collection = path.split('/')[1] ?? '';
  return collection.replace(/-/g, ' ').replace(/(ch)?e?s$/, '$1');
}
