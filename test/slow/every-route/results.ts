import { beforeAll, describe, expect, it } from 'vitest';
import { result } from '../../../src/api/schemas/batch.ts';
import type { Batch, Result } from '../../../src/client.ts';
import type { ApiReply } from '../../api/senders.ts';
import { inputFor } from './model.ts';
import type { Stage } from './suite.ts';
import { itemsIn, type Visitor } from './visitor.ts';

const rows = ['r1', 'r2', 'r3'].map((id) => ({ id, input: inputFor('answers'), metadata: { of: id } }));

async function doneBatch({ submitBatch, batchWhen }: Visitor): Promise<Batch> {
  const { id } = await submitBatch(rows);
  return batchWhen(id, ({ status }) => status === 'done');
}

/** Every page of two rows, to the end. */
async function pagesOf({ ask }: Visitor, id: string, query: Readonly<Record<string, string>>) {
  const pages: ApiReply[] = [];
  let after: Readonly<Record<string, string>> | undefined = {};
  while (after !== undefined) {
    const page: ApiReply = await ask('readResults', 200, {
      params: { id },
      query: { ...query, limit: '2', ...after },
    });
    pages.push(page);
    const cursor: string | undefined = page.headers['x-treadle-cursor'];
    after = cursor === undefined ? undefined : { cursor };
  }
  return pages;
}

const linesOf = ({ text }: ApiReply): readonly string[] => text.split(/\r?\n/).filter((line) => line !== '');

export function resultTests({ visit }: Stage): void {
  describe('results', () => {
    let older = '';
    let id = '';
    beforeAll(async () => {
      const visitor = visit('results');
      older = (await doneBatch(visitor)).id;
      id = (await doneBatch(visitor)).id;
    });

    it.each([{}, { format: 'jsonl' }])(
      'come as lines, page by page and in the order of the rows: %j',
      async (query) => {
        const visitor = visit('results');
        const pages = await pagesOf(visitor, id, query);
        for (const page of pages) expect(page.headers['content-type']).toContain('application/x-ndjson');
        const found = pages.map((page) => linesOf(page).map((line) => JSON.parse(line) as Result));
        expect(found.map((page) => page.length).slice(0, 2)).toEqual([2, 1]);
        for (const line of found.flat()) expect(result.parse(line)).toEqual(line);
        expect(found.flat()).toMatchObject(
          rows.map(({ id: row, metadata }) => ({ id: row, status: 'succeeded', steps: 1, metadata })),
        );
      },
    );

    it('come as CSV, each page under its own header', async () => {
      const visitor = visit('results');
      const pages = await pagesOf(visitor, id, { format: 'csv' });
      for (const page of pages) expect(page.headers['content-type']).toContain('text/csv');
      const [header, ...first] = linesOf(pages[0] ?? expect.fail('no page'));
      expect(header).toMatch(/^id,/);
      for (const page of pages) expect(linesOf(page)[0]).toBe(header);
      const cells = [...first, ...pages.slice(1).flatMap((page) => linesOf(page).slice(1))];
      expect(cells.map((line) => line.split(',')[0])).toEqual(['r1', 'r2', 'r3']);
      await visitor.ask('readResults', 400, { params: { id }, query: { format: 'xml' } });
    });

    it('stand beside their batches in a list, the newest first', async () => {
      const visitor = visit('results');
      const first = await visitor.ask('listBatches', 200, { query: { limit: '1' } });
      expect(itemsIn(first)).toMatchObject([{ id, status: 'done' }]);
      const query = { cursor: String(first.json['cursor']) };
      expect(itemsIn(await visitor.ask('listBatches', 200, { query }))).toMatchObject([{ id: older }]);
    });
  });
}
