import type { FuzzRequest } from '../../test/api/generate-requests.ts';
import type { ApiReply } from '../../test/api/senders.ts';

/** An answer that takes longer counts as a hang. */
const HANG_MS = 10_000;

/** Undefined for a request that got no answer in time. */
export async function sendTo(url: string, request: FuzzRequest): Promise<ApiReply | undefined> {
  const { method = 'GET', path, headers = {}, text, bytes, tenant = 'default' } = request;
  const body = bytes === undefined ? text : new Uint8Array(bytes);
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, 'x-treadle-tenant': tenant },
      signal: AbortSignal.timeout(HANG_MS),
      ...(body === undefined ? {} : { body }),
    });
    const answer = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), text: answer, json: {} };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') return undefined;
    throw error;
  }
}
