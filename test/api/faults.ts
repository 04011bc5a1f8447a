import type { ApiReply } from './senders.ts';

/** What no answer may hold, whatever was asked. */
export function faultsOf(reply: ApiReply): readonly string[] {
  const faults: string[] = [];
  if (reply.status >= 500) faults.push('5xx');
  if (/\n\s+at |node_modules|\.ts:\d|canary-token/.test(reply.text)) faults.push('a stack or a secret');
  if (reply.status >= 400 && reply.text.length > 30_000) faults.push('an echo');
  if (reply.status >= 400 && reply.headers['content-type'] !== 'application/problem+json')
    faults.push('no problem');
  if (reply.headers['cache-control'] !== 'no-store') faults.push('may be cached');
  return faults;
}
