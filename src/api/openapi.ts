import * as z from 'zod';
import type { ProblemStatus } from './problem.ts';
import type { AnswerSpec, Example, Route } from './route.ts';
import { components, problemSchema } from './schemas/common.ts';

type Data = Readonly<Record<string, unknown>>;

const documents = new WeakMap<readonly Route[], Data>();

/** The OpenAPI 3.1 document of a route table, made from the schemas that check its requests. Made once per table. */
export function openApiDocument(routes: readonly Route[]): Data {
  const known = documents.get(routes);
  if (known !== undefined) return known;
  const schemas = collect(routes);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, schemas.of) };
  }
  const document: Data = {
    openapi: '3.1.0',
    info: {
      title: 'Treadle',
      version: '1',
      summary: 'Durable, budgeted agent loops: one loop step per queue message.',
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document was read' }],
    security: [{ sigv4: [] }, { jwt: [] }, {}],
    tags: tags.map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: usedComponents(schemas.components, paths), securitySchemes },
  };
  documents.set(routes, document);
  return document;
}

const about = `Money is a number of US dollars, exact to the micro-dollar; times are ISO 8601, UTC. Whatever is no success
is a Problem: 405 names what a path takes, 503 says that the same request may be sent again. On AWS the tenant comes from the
authorizer, by IAM or JWT; on one machine from the header x-treadle-tenant.`;

const tags: readonly (readonly [string, string])[] = [
  ['Jobs', 'One agent loop on one input each'],
  ['Approvals', 'Calls that wait for a person'],
  ['Batches', 'Many jobs with one shared pool of money'],
  ['Agents', 'What jobs can be given to'],
  ['Operations', 'Health, costs, dead letters and the kill switch'],
];

const securitySchemes = {
  sigv4: {
    type: 'apiKey',
    name: 'Authorization',
    in: 'header',
    description: 'AWS Signature Version 4 for execute-api; the default on AWS',
    'x-amazon-apigateway-authtype': 'awsSigv4',
  },
  jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Where the deployment says so' },
};

/** The JSON Schema of a zod schema: a reference where it is a component. */
type SchemaOf = (schema: z.ZodType) => unknown;

interface Schemas {
  readonly of: SchemaOf;
  readonly components: Data;
}

/** Turns every schema of the table into JSON Schema at once, so that shared ones become references. */
function collect(routes: readonly Route[]): Schemas {
  const registry = z.registry<{ readonly id: string }>();
  const ids = new Map<z.ZodType, string>();
  const add = (schema: z.ZodType, id: string): void => {
    if (ids.has(schema)) return;
    ids.set(schema, id);
    registry.add(schema, { id });
  };
  for (const [id, schema] of components) add(schema, id);
  for (const [at, schema] of bodiesOf(routes).entries()) add(schema, `inline.${at}`);
  const uri = (id: string): string => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri });
  const plain = Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutMarks(schema)]));
  return {
    of: (schema) => {
      const id = ids.get(schema) ?? '';
      return components.has(id) ? { $ref: uri(id) } : plain[id];
    },
    components: plain,
  };
}

function bodiesOf(routes: readonly Route[]): readonly z.ZodType[] {
  return routes.flatMap((route) => [
    ...(route.body === undefined ? [] : [route.body.schema]),
    ...Object.values(route.answers).flatMap((answer) => answer.schema ?? []),
  ]);
}

function withoutMarks(schema: object): Data {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema' && name !== '$id'));
}

/** The components that the paths name, and those that these name in turn. */
function usedComponents(all: Data, paths: unknown): Data {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, id = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([\w.]+)"/g)) {
      if (used.has(id)) continue;
      used.add(id);
      visit(all[id]);
    }
  };
  visit(paths);
  return Object.fromEntries(Object.entries(all).filter(([id]) => used.has(id)));
}

function operation(route: Route, schemaOf: SchemaOf): Data {
  const permission = `Needs the permission \`${route.permission}\`.`;
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: route.description === undefined ? permission : `${route.description} ${permission}`,
    parameters: [
      ...parameters('path', route.params, route),
      ...parameters('query', route.query, route),
      ...parameters('header', route.headers, route),
    ],
    ...(route.body === undefined ? {} : { requestBody: requestBody(route, schemaOf) }),
    responses: { ...responses(route, schemaOf), ...problems(route, schemaOf) },
  };
}

function parameters(where: 'path' | 'query' | 'header', shape: z.ZodObject, route: Route): readonly Data[] {
  const { properties = {} } = z.toJSONSchema(shape, { io: 'output' });
  const { required = [] } = z.toJSONSchema(shape, { io: 'input' });
  const first = route.examples[0]?.request;
  const values = { path: first?.params, query: first?.query, header: first?.headers }[where];
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Record<string, unknown>;
    const example = values?.[name];
    return {
      ...{ name, in: where, required: required.includes(name), description, schema },
      ...(example === undefined
        ? {}
        : { example: schema['type'] === 'string' ? example : JSON.parse(example) }),
    };
  });
}

function requestBody({ body, examples }: Route, schemaOf: SchemaOf): Data {
  if (body === undefined) return {};
  const shown = examples.filter(({ request }) => request.body !== undefined);
  const files = (body.fileTypes ?? []).map((type) => {
    const ofType = examples.filter(({ request }) => request.file?.type === type);
    const content = { schema: { type: 'string' } };
    if (ofType.length === 0) return [type, content];
    return [type, { ...content, examples: named(ofType, ({ request }) => request.file?.text) }];
  });
  return {
    required: body.optional !== true,
    description: `At most ${body.maxBytes} bytes`,
    content: {
      'application/json': {
        schema: schemaOf(body.schema),
        examples: named(shown, ({ request }) => request.body),
      },
      ...Object.fromEntries(files),
    },
  };
}

function named(examples: readonly Example[], value: (example: Example) => unknown): Data {
  return Object.fromEntries(
    examples.map((example) => [example.name, { summary: example.summary, value: value(example) }]),
  );
}

function responses(route: Route, schemaOf: SchemaOf): Data {
  const entries = Object.entries(route.answers).map(([status, answer]) => {
    const headers = Object.entries(answer.headers ?? {}).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]);
    return [
      status,
      {
        description: answer.description,
        ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
        ...contentOf(route, Number(status), answer, schemaOf),
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** Only examples that are whole answers are shown: those that their schema takes. */
function contentOf(route: Route, status: number, answer: AnswerSpec, schemaOf: SchemaOf): Data {
  const { schema, textTypes } = answer;
  if (textTypes !== undefined) {
    return { content: Object.fromEntries(textTypes.map((type) => [type, { schema: { type: 'string' } }])) };
  }
  if (schema === undefined) return {};
  const shown = route.examples.filter(
    ({ answer: { status: got, body } }) => got === status && schema.safeParse(body).success,
  );
  const content = {
    schema: schemaOf(schema),
    ...(shown.length === 0 ? {} : { examples: named(shown, ({ answer: { body } }) => body) }),
  };
  return { content: { 'application/json': content } };
}

const problemNotes: Readonly<Record<ProblemStatus, string>> = {
  400: 'The request is wrong; each error names a part of it',
  403: 'The caller is not known, or lacks the permission',
  404: 'There is no such thing, or it belongs to another tenant',
  405: 'The path does not take this method',
  409: 'Not possible as things stand',
  413: 'The body, or a part of it, is too large',
  415: 'The body is not of a type that the route takes',
  422: 'The Idempotency-Key was used for another body',
  429: 'The money of the day is spent',
  500: 'A fault of the server',
  503: 'Storage or queue did not answer; the same request may be sent again',
};

/** The problems that a route may answer: its own, and those that follow from what it takes. */
function problems(route: Route, schemaOf: SchemaOf): Data {
  const statuses = new Set<ProblemStatus>([400, 403, 503, ...(route.problems ?? [])]);
  if (Object.keys(route.params.shape).length > 0) statuses.add(404);
  if (route.body !== undefined) statuses.add(413).add(415);
  const content = { 'application/problem+json': { schema: schemaOf(problemSchema) } };
  return Object.fromEntries(
    [...statuses].map((status) => [status, { description: problemNotes[status], content }]),
  );
}
