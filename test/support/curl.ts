import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The address that the documents write. */
export const WRITTEN = 'http://127.0.0.1:8787';

/** A command line of curl as the words that a shell makes of it. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

/** The request that a line of curl in a document would make, sent to `api` in place of the address that is written there. */
export function requestOf(line: string, api: string): Request {
  const [, ...words] = wordsOf(line);
  const headers = new Headers();
  let url = '';
  let body: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const next = words[at + 1] ?? '';
    if (word === '-H') headers.append(next.slice(0, next.indexOf(':')), next.slice(next.indexOf(':') + 1));
    if (word === '-d') body = next;
    if (word === '--data-binary') {
      body = readFileSync(fileURLToPath(new URL(`../../${next.slice(1)}`, import.meta.url)), 'utf8');
    }
    if (word.startsWith('http')) url = word;
    if (word.startsWith('-') && word !== '-s') at += 1;
  }
  if (!url.startsWith(WRITTEN)) throw new Error(`not an address of the documents: ${url}`);
  const to = url.replace(WRITTEN, api);
  return new Request(to, body === undefined ? { headers } : { method: 'POST', headers, body });
}
