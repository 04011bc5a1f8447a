import { afterAll } from 'vitest';
import { createApi } from '../../src/api/app.ts';
import { type ApiEvent, createApiHandler } from '../../src/api/lambda-handler.ts';
import { apiFiles } from '../../src/api-files.ts';
import { identifyOnAws } from '../../src/aws-identity.ts';
import { identifyLocally, startApiServer } from '../../src/local/api-server.ts';
import type { TestWorld } from '../support/world.ts';

/** A request of a test: `body` is sent as JSON, `text` and `bytes` as they are. */
export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** @default 'default' */
  readonly tenant?: string;
}

export interface ApiReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as data; empty without one, and for text. */
  readonly json: Readonly<Record<string, unknown>>;
}

export type Send = (request: ApiRequest) => Promise<ApiReply>;

function payload({ body, text, bytes }: ApiRequest): string | Uint8Array<ArrayBuffer> | undefined {
  return bytes === undefined
    ? (text ?? (body === undefined ? undefined : JSON.stringify(body)))
    : new Uint8Array(bytes);
}

function headersOf(request: ApiRequest): Record<string, string> {
  const typed = payload(request) === undefined ? {} : { 'content-type': 'application/json' };
  return { ...typed, ...request.headers };
}

const replyOf = (status: number, headers: Record<string, string>, text: string): ApiReply => ({
  ...{ status, headers, text },
  json: /[/+]json$/.test(headers['content-type'] ?? '') ? (JSON.parse(text || '{}') as ApiReply['json']) : {},
});

/** Over real HTTP to a server that runs already. */
export function sendTo(url: string): Send {
  return async (request) => {
    const body = payload(request);
    const response = await fetch(`${url}${request.path}`, {
      method: request.method ?? 'GET',
      headers: { ...headersOf(request), 'x-treadle-tenant': request.tenant ?? 'default' },
      ...(body === undefined ? {} : { body }),
    });
    return replyOf(response.status, Object.fromEntries(response.headers), await response.text());
  };
}

/** Over real HTTP against the local server, which is closed with the test file. */
export async function overHttp(world: TestWorld): Promise<Send & { readonly port: number }> {
  const api = createApi({ files: apiFiles, world, identify: identifyLocally });
  const server = await startApiServer({ api, port: 0 });
  afterAll(server.close);
  return Object.assign(sendTo(server.url), { port: server.port });
}

/** The role whose sessions are a tenant's callers. */
export const roleOf = (tenant: string): string => `arn:aws:iam::123456789012:role/teams/${tenant}`;
export const sessionOf = (tenant: string): string =>
  `arn:aws:sts::123456789012:assumed-role/${tenant}/somebody`;

export const tenants = ['default', 'a', 'b'];

/** An event as the gateway sends it, here with a base64 body where there is one. */
export function eventOf(request: ApiRequest, authorizer?: object): ApiEvent {
  const [rawPath = '', rawQueryString = ''] = request.path.split('?');
  const body = payload(request);
  const method = request.method ?? 'GET';
  const context = { http: { method }, ...(authorizer === undefined ? {} : { authorizer }) };
  return {
    rawPath: decodeURIComponent(rawPath),
    rawQueryString,
    headers: headersOf(request),
    requestContext: context,
    isBase64Encoded: body !== undefined,
    ...(body === undefined ? {} : { body: Buffer.from(body).toString('base64') }),
  };
}

/** Through the handler of the function, called by an IAM role for each tenant. */
export async function overGateway(world: TestWorld): Promise<Send> {
  const identify = identifyOnAws({
    TENANT_ROLES: Object.fromEntries(tenants.map((tenant) => [roleOf(tenant), tenant])),
  });
  const handler = createApiHandler(createApi({ files: apiFiles, world, identify }));
  return async (request) => {
    const userArn = sessionOf(request.tenant ?? 'default');
    const result = await handler(eventOf(request, { iam: { userArn } }));
    return replyOf(result.statusCode, result.headers, result.body);
  };
}

export const senders: readonly (readonly [string, (world: TestWorld) => Promise<Send>])[] = [
  ['over HTTP', overHttp],
  ['behind API Gateway', overGateway],
];
