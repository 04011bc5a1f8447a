import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { TerminalError } from '../core/errors.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** @default never */
  readonly expiration?: Date;
}

export interface SigningParts {
  /** @default the user's own, as every tool of AWS finds them: environment, profile, SSO, role */
  readonly credentials?: () => Promise<Credentials>;
  /** Sends what was signed. @default the platform's own */
  readonly fetch?: typeof fetch;
}

/** The region of an API of API Gateway by its address; undefined for every other server. */
export function regionOf(endpoint: string): string | undefined {
  const { protocol, hostname } = new URL(endpoint);
  const found = /^[a-z0-9-]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/.exec(hostname);
  return protocol === 'https:' ? found?.[1] : undefined;
}

/**
 * What sends requests to `endpoint`, for `createClient`: to an API of API Gateway signed with the caller's own AWS
 * credentials (Signature Version 4), to any other server as they are. Rejects with `TerminalError` `no_credentials`
 * where there are none.
 */
export function fetchFor(endpoint: string, parts: SigningParts = {}): typeof fetch {
  const region = regionOf(endpoint);
  const send = parts.fetch ?? fetch;
  if (region === undefined) return send;
  const credentials = once(parts.credentials ?? ownCredentials);
  return async (input, init) => {
    const request = new Request(input, init);
    const url = exactUrl(new URL(request.url));
    if (url.origin !== new URL(endpoint).origin) return send(input, init);
    const { method, signal } = request;
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const headers = await sign({ url, method, headers: request.headers, body }, region, credentials);
    // A token of the session must not follow a redirect to another host.
    const sent = { method, headers, signal, redirect: 'error' as const };
    return send(url, body === undefined ? sent : { ...sent, body });
  };
}

interface Unsigned {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** Asked for again only when it failed, or when what it gave is about to expire. */
function once(provider: () => Promise<Credentials>): () => Promise<Credentials> {
  let known: Credentials | undefined;
  return async () => {
    const left = (known?.expiration?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
    if (known === undefined || left < 300_000) {
      known = await provider().catch((cause: unknown) => {
        throw new TerminalError('no_credentials', 'there are no AWS credentials to sign with', { cause });
      });
    }
    return known;
  };
}

/** Loaded when needed: the other commands have no use for the providers. */
const ownCredentials: () => Promise<Credentials> = async () => {
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  return defaultProvider()();
};

/** The signature is over the query as RFC 3986 writes it; a `+` for a blank would be taken for a plus. */
function exactUrl(url: URL): URL {
  const exact = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  url.search = [...url.searchParams].map(([name, value]) => `${exact(name)}=${exact(value)}`).join('&');
  return url;
}

async function sign(
  { url, method, headers, body }: Unsigned,
  region: string,
  credentials: () => Promise<Credentials>,
): Promise<Headers> {
  const { SignatureV4 } = await import('@smithy/signature-v4');
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256: Sha256 });
  const signed = await signer.sign({
    ...{ method, protocol: url.protocol, hostname: url.hostname, path: url.pathname, body },
    query: Object.fromEntries(url.searchParams),
    headers: { ...Object.fromEntries(headers), host: url.host },
  });
  // `host` is signed, and set by whoever sends.
  const { host: _, ...sent } = signed.headers;
  return new Headers(sent);
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

const bytesOf = (data: Bytes): string | Uint8Array => {
  if (typeof data === 'string' || data instanceof Uint8Array) return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
};

/** SHA-256, or with a secret its HMAC, in the shape that the signer takes. */
class Sha256 {
  readonly #secret: Bytes | undefined;
  #state: Hash | Hmac;
  constructor(secret?: Bytes) {
    this.#secret = secret;
    this.#state = begun(secret);
  }
  update(data: Bytes): void {
    this.#state.update(bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#state.digest();
  }
  reset(): void {
    this.#state = begun(this.#secret);
  }
}

const begun = (secret: Bytes | undefined): Hash | Hmac =>
  secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
