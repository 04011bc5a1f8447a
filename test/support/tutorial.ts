import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { requestOf } from './curl.ts';

const folder = new URL('../../docs/tutorial/', import.meta.url);

export interface Block {
  readonly language: string;
  readonly text: string;
}

/** The pages in their order. */
export const pages = readdirSync(folder)
  .sort()
  .map((name) => ({ name, blocks: blocksOf(readFileSync(new URL(name, folder), 'utf8')) }));

function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', block = '']) => ({
    language,
    text: block,
  }));
}

/** For a busy machine and the longest page. */
export const MAX_PAGE_MS = 120_000;

/**
 * Does what a page tells its reader to do, in order. Every request is sent, and what is shown below it must be in the
 * answer: while a job or batch goes on, a look is taken again until it is, as a reader would. Other commands go to
 * `command`, which may start another server; `api` is asked anew each time.
 */
export async function follow(
  blocks: readonly Block[],
  { api, command }: { readonly api: () => string; readonly command: (line: string) => Promise<void> },
): Promise<number> {
  let last = '';
  let answer: Answer | undefined;
  let shown = 0;
  for (const { language, text } of blocks) {
    if (language === 'json') {
      if (answer === undefined) throw new Error('an answer is shown, and nothing was asked');
      await expectShown(answer, last, api(), JSON.parse(text) as object);
      shown += 1;
      answer = undefined;
      continue;
    }
    if (language !== 'sh') continue;
    for (const line of text.trim().split('\n')) {
      // Only the answer of a block's last command is shown: those before it must have been taken.
      if (answer !== undefined) expect(answer, last).toMatchObject({ ok: true });
      last = line;
      answer = line.startsWith('curl ') ? await send(line, api()) : undefined;
      if (answer === undefined) await command(line);
    }
  }
  if (answer !== undefined) expect(answer, last).toMatchObject({ ok: true });
  return shown;
}

interface Answer {
  readonly ok: boolean;
  readonly body: unknown;
  /** A look at what has not come to rest, so that the next one may show more. */
  readonly goesOn: boolean;
}

async function send(line: string, api: string): Promise<Answer> {
  const request = requestOf(line, api);
  const response = await fetch(request);
  const body = (await response.json()) as { readonly status?: unknown };
  const goesOn = request.method === 'GET' && (body.status === 'queued' || body.status === 'running');
  return { ok: response.ok, body, goesOn };
}

async function expectShown(first: Answer, line: string, api: string, shown: object): Promise<void> {
  for (let answer = first; ; answer = await send(line, api)) {
    try {
      expect(answer.body, line).toMatchObject(shown);
      return;
    } catch (error) {
      if (!answer.goesOn) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
