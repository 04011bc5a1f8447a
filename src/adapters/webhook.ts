import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Notice, Notifier, Told } from '../ports.ts';
import { isPublicAddress } from './public-address.ts';
import { type Address, again, inward, never, sendWebhook } from './webhook-request.ts';

export interface WebhookOptions {
  /** `whsec_` and base64, or any other text, whose UTF-8 bytes are then the key. Asked for at every try. */
  readonly secret: () => Promise<string>;
  readonly now: () => number;
  /** Bounds a whole try: secret, name, connection and answer. @default 10000 */
  readonly timeoutMs?: number;
  /** All addresses of a name. @default the system's resolver */
  readonly lookup?: (name: string) => Promise<readonly Address[]>;
  /** @default `isPublicAddress`; tests let their own loopback server pass */
  readonly isPublic?: (ip: string) => boolean;
  /** PEM. @default the authorities that Node trusts */
  readonly ca?: string;
}

const MAX_URL_CHARACTERS = 2_048;

/**
 * Posts notices to receivers by the Standard Webhooks scheme. The URL comes from a caller and this side may stand in a
 * private network, so every address of the name must be public, only those are connected to, and nothing is sent before
 * the connection's own far end was looked at once more. Problems never hold any part of the URL, the secret or the body.
 */
export function createWebhook(options: WebhookOptions): NonNullable<Notifier['webhook']> {
  const { timeoutMs = 10_000, isPublic = isPublicAddress } = options;
  return {
    post: async (url: string, notice: Notice) => {
      const problem = urlProblem(url, isPublic);
      if (problem !== undefined) return never(`the URL ${problem}`);
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), timeoutMs);
      try {
        return await attempt({ ...options, isPublic }, new URL(url), notice, timeout.signal);
      } catch (error) {
        return again(timeout.signal.aborted ? `no answer within ${timeoutMs} ms` : problemOf(error));
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/**
 * What keeps a URL from being a webhook, as words that follow "the URL"; undefined where nothing does. Ports below 1024
 * other than 443 belong to other protocols. What a name resolves to is only looked at when something is sent.
 */
export function webhookUrlProblem(url: string): string | undefined {
  return urlProblem(url, isPublicAddress);
}

function urlProblem(text: string, isPublic: (ip: string) => boolean): string | undefined {
  if (text.length > MAX_URL_CHARACTERS) return `is longer than ${MAX_URL_CHARACTERS} characters`;
  if (/[\s\p{Cc}]/u.test(text)) return 'contains white space or control characters';
  if (!URL.canParse(text)) return 'cannot be read';
  const url = new URL(text);
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not hold credentials';
  if (text.includes('#')) return 'must not have a fragment';
  if (url.port !== '' && Number(url.port) < 1024) return 'must use port 443, or one from 1024';
  const host = hostOf(url);
  if (/(^|\.)localhost\.?$/.test(host) || (isIP(host) !== 0 && !isPublic(host))) {
    return 'must not point to a private address';
  }
  return undefined;
}

/** The parser has already brought numbers in decimal, octal or hexadecimal to the usual form of an address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

type Checked = WebhookOptions & { readonly isPublic: (ip: string) => boolean };

async function attempt(options: Checked, url: URL, notice: Notice, signal: AbortSignal): Promise<Told> {
  const addresses = await inTime(addressesOf(hostOf(url), options.lookup), signal);
  if (addresses.length === 0) return again('the name has no address');
  if (!addresses.every(({ address }) => options.isPublic(address))) return inward;
  const secret = await inTime(options.secret(), signal).catch(() => undefined);
  signal.throwIfAborted();
  if (secret === undefined) return again('the signing secret cannot be read');
  const body = JSON.stringify({
    type: notice.type,
    timestamp: new Date(notice.atMs).toISOString(),
    data: notice.data,
  });
  const signed = signatureOf(secret, { id: notice.id, at: new Date(options.now()), body });
  if (signed === undefined) return again('the signing secret is unusable');
  return sendWebhook({
    url,
    headers: signed,
    body,
    addresses,
    isPublic: options.isPublic,
    ca: options.ca,
    signal,
  });
}

/** Neither the resolver nor the reader of the secret can be interrupted: they are left behind. */
function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, over]);
}

async function addressesOf(host: string, lookup: WebhookOptions['lookup']): Promise<readonly Address[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  return lookup === undefined ? systemLookup(host, { all: true }) : lookup(host);
}

interface Signing {
  readonly id: string;
  /** The time of this try, not of the notice: receivers refuse an old one as a replay. */
  readonly at: Date;
  readonly body: string;
}

function signatureOf(
  secret: string,
  { id, at, body }: Signing,
): Readonly<Record<string, string>> | undefined {
  try {
    // As text, the library would cut each character of a raw secret to its lowest eight bits.
    const webhook = secret.startsWith('whsec_')
      ? new Webhook(secret)
      : new Webhook(new TextEncoder().encode(secret), { format: 'raw' });
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': webhook.sign(id, at, body),
    };
  } catch {
    return undefined;
  }
}

/** The code of Node, OpenSSL or the resolver; their sentences may quote names and addresses. */
function problemOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const named = typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code);
  return named ? `the connection failed: ${code}` : 'the connection failed';
}
