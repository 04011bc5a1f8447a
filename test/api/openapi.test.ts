import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/api/openapi.ts';
import { routes } from '../../src/api/routes.ts';
import { requestOf } from './examples.ts';
import { worldGiven } from './given.ts';
import { expectDocumented } from './replies.ts';
import { senders } from './senders.ts';

describe('the document', () => {
  it('breaks no recommended rule of an OpenAPI linter', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const source = JSON.stringify(openApiDocument(routes));
    const found = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
    expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('is OpenAPI 3.1, holds every route once, and only the schemas that they name', () => {
    const document = openApiDocument(routes);
    const operations = Object.values(document['paths'] as Record<string, object>).flatMap((path) =>
      Object.values(path),
    );
    expect(document['openapi']).toBe('3.1.0');
    expect(operations).toHaveLength(routes.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length);
    const schemas = Object.keys((document['components'] as { schemas: object }).schemas);
    expect(schemas).toContain('Job');
    expect(schemas.filter((name) => name.startsWith('inline'))).toEqual([]);
  });
});

/** What differs from run to run stands for any text. */
function stable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stable);
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? expect.any(String) : value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'agentVersion' ? expect.any(String) : stable(inner),
    ]),
  );
}

const examples = routes.flatMap((route) =>
  route.examples.map((example) => [`${route.operationId}/${example.name}`, route, example] as const),
);

describe.each(senders)('the examples of the document, %s', (_, open) => {
  it.each(examples)('%s gets the answer that it shows', async (_name, route, example) => {
    const send = await open(await worldGiven(example.given));
    const reply = await send(requestOf(route, example));
    expect(reply.status, reply.text).toBe(example.answer.status);
    expectDocumented(route, reply);
    if (example.answer.body !== undefined)
      expect(reply.json).toMatchObject(stable(example.answer.body) as object);
  });
});

it('has an example with a good answer for every route', () => {
  const without = routes.filter((route) => !route.examples.some(({ answer }) => answer.status < 300));
  expect(without.map(({ operationId }) => operationId)).toEqual([]);
});
