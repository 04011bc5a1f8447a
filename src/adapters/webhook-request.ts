import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Told } from '../ports.ts';

export interface Address {
  readonly address: string;
  readonly family: number;
}

const MAX_ANSWER_BYTES = 64 * 1024;

export const again = (problem: string): Told => ({ type: 'again', problem });
export const never = (problem: string): Told => ({ type: 'never', problem });

/** A name that points inwards is no passing fault, and each further try would be another chance for a rebinding. */
export const inward = never('the receiver has an address that is not public');

export interface Delivery {
  readonly url: URL;
  /** Those of the signature. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Every address of the URL's name, all of them public. */
  readonly addresses: readonly Address[];
  readonly isPublic: (ip: string) => boolean;
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
}

/** One request on a connection of its own. Rejects when it ends before an answer began. */
export function sendWebhook({
  url,
  headers,
  body,
  addresses,
  isPublic,
  ca,
  signal,
}: Delivery): Promise<Told> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'treadle',
      },
      // A connection kept from before would be used without either check.
      agent: false,
      lookup: only(addresses),
      rejectUnauthorized: true,
      signal,
      ...(ca === undefined ? {} : { ca }),
    });
    request.on('socket', (socket) => {
      socket.once('connect', () => {
        if (isPublic(socket.remoteAddress ?? '')) return;
        resolve(inward);
        request.destroy();
      });
      // Headers leave with the body, and the body is not handed over before certificate and address are known.
      socket.once('secureConnect', () => request.end(body));
    });
    let verdict: Told | undefined;
    request.on('response', (response) => {
      verdict = verdictOn(response.statusCode ?? 0);
      drain(response, () => request.destroy());
    });
    // Once the status has come, an exchange that breaks off is no failure of the receiver's.
    request.on('error', (error) => verdict ?? reject(error));
    request.on('close', () => (verdict === undefined ? reject(new Error('closed')) : resolve(verdict)));
  });
}

/** Answers the connection's question for addresses with those that were checked, however often it is asked. */
function only(addresses: readonly Address[]): LookupFunction {
  return (_name, { all }, answer) => {
    const [first] = addresses;
    if (all === true) answer(null, [...addresses]);
    else answer(null, first?.address ?? '', first?.family);
  };
}

/** The answer's words do not matter, only that a receiver can finish saying them: cut off, it may take itself as failed. */
function drain(response: IncomingMessage, cut: () => void): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) cut();
  });
  response.on('error', () => undefined);
}

/**
 * By the Standard Webhooks specification: 2xx is delivered, 410 is a receiver that wants no more, and everything else is
 * a failure to be tried again, 400 to 415 included: a receiver in the middle of a deployment or a change of its secret
 * answers 401, 404 or 413 as well, and tries are few. Redirects are failures: followed, they would lead past the checks.
 */
function verdictOn(status: number): Told {
  if (status >= 200 && status < 300) return { type: 'told' };
  return status === 410 ? never('status 410') : again(`status ${status}`);
}
