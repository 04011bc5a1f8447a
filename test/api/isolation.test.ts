import { describe, expect, it } from 'vitest';
import type { Example, Route } from '../../src/api/route.ts';
import { routes } from '../../src/api/routes.ts';
import { pathOf, requestOf } from './examples.ts';
import { worldGiven } from './given.ts';
import { senders } from './senders.ts';

/** Every request of the document that has a good answer, and so does something to what its state holds. */
const good = routes.flatMap((route) =>
  route.examples
    .filter(({ answer }) => answer.status < 300)
    .map((example) => [`${route.operationId}/${example.name}`, route, example] as const),
);

/** Lists of what no tenant owns. */
const ofNobody: ReadonlySet<string> = new Set(['/agents', '/openapi.json', '/health']);
const isNamed = (route: Route, { request }: Example): boolean =>
  route.path.includes('{') || request.query?.['batch'] !== undefined;

describe.each(senders)('another tenant %s', (_, open) => {
  it.each(good)('by %s finds nothing and changes nothing', async (_name, route, example) => {
    const world = await worldGiven(example.given);
    const send = await open(world);
    const before = world.table.all();
    const reply = await send({ ...requestOf(route, example), tenant: 'a' });
    if (isNamed(route, example)) {
      expect(reply.status, reply.text).toBe(404);
      expect(world.table.all()).toEqual(before);
      const nobodys = { ...example, given: 'nothing' } as const;
      const empty = await open(await worldGiven('nothing'));
      expect((await empty({ ...requestOf(route, nobodys), tenant: 'a' })).text).toBe(reply.text);
      return;
    }
    if (route.method === 'GET' && !ofNobody.has(route.path)) {
      expect(reply.json).toEqual({ items: [], cursor: null });
    }
    // It may have made something of its own: what was there stands as it was.
    const after = world.table.all();
    const owned = before.filter(({ pk }) => !String(pk).startsWith('AGENT#'));
    for (const item of owned) expect(after).toContainEqual(item);
  });

  it('does not find the jobs of a batch, or anything with a file as the body', async () => {
    const send = await open(await worldGiven('batch_open'));
    const [batch] = (await send({ path: '/batches' })).json['items'] as { id: string }[];
    expect((await send({ path: `/jobs?batch=${batch?.id}`, tenant: 'a' })).status).toBe(404);
    const reply = await send({
      ...{ method: 'POST', path: `/batches/${batch?.id}/rows`, text: 'id,body\n1,x\n', tenant: 'a' },
      headers: { 'content-type': 'text/csv' },
    });
    expect(reply.status).toBe(404);
  });
});

it('is tried on every route of the table', () => {
  const tried = new Set(good.map(([, route]) => route.operationId));
  expect(routes.map(({ operationId }) => operationId).filter((id) => !tried.has(id))).toEqual([]);
});

it('is given paths that stand for what is there', () => {
  for (const [, route, example] of good) expect(pathOf(route, example)).not.toMatch(/[{}]|\/\//);
});
