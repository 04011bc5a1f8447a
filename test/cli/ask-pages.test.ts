import { expect, it } from 'vitest';
import { pagesOf, type Wanted, writeJson } from '../../src/cli/ask/pages.ts';
import type { PageOptions } from '../../src/client.ts';

/** A list of ten numbers, of which one answer of the API has two at most; every third answer is empty. */
function tenNumbers() {
  const asked: PageOptions[] = [];
  const read = async (page: PageOptions) => {
    asked.push(page);
    const from = Number(page.cursor ?? 0);
    const size = asked.length % 3 === 0 ? 0 : Math.min(2, page.limit ?? 50);
    const items = Array.from({ length: Math.min(size, 10 - from) }, (_, n) => from + n);
    const end = from + items.length;
    return { items, cursor: end < 10 ? String(end) : null };
  };
  return { asked, read };
}

async function written(
  wanted: Wanted,
): Promise<{ readonly text: string; readonly asked: readonly PageOptions[] }> {
  const { asked, read } = tenNumbers();
  let text = '';
  await writeJson(pagesOf(read, wanted), (more) => {
    text += more;
  });
  return { text, asked };
}

it('gathers one page from as many answers as it takes, and never more than asked for', async () => {
  const { text, asked } = await written({ limit: 5 });
  expect(text).toBe('{"items":[0,1,2,3,4],"cursor":"5"}\n');
  expect(asked.map(({ limit }) => limit)).toEqual([5, 3, 1, 1]);
});

it('goes on where it is told to', async () => {
  expect((await written({ limit: 3, cursor: '8' })).text).toBe('{"items":[8,9],"cursor":null}\n');
});

it('writes everything as one document', async () => {
  expect((await written({ all: true })).text).toBe('{"items":[0,1,2,3,4,5,6,7,8,9],"cursor":null}\n');
});

it('stops looking after many answers with nothing in them, and says where', async () => {
  let asked = 0;
  const read = async () => {
    asked += 1;
    return { items: [], cursor: `c${asked}` };
  };
  let text = '';
  await writeJson(pagesOf(read, { limit: 5 }), (more) => {
    text += more;
  });
  expect(text).toBe('{"items":[],"cursor":"c50"}\n');
});
