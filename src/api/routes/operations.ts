import { json } from '../answer.ts';
import { openApiDocument } from '../openapi.ts';
import { defineRoute, type Route } from '../route.ts';
import { openApi } from '../schemas/operations.ts';

const readDocument = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  operationId: 'readDocument',
  tag: 'Operations',
  summary: 'This document',
  permission: 'read',
  answers: { 200: { description: 'An OpenAPI 3.1 document', schema: openApi } },
  examples: [
    {
      name: 'document',
      summary: 'The document',
      given: 'nothing',
      request: {},
      answer: { status: 200, body: { openapi: '3.1.0' } },
    },
  ],
  handle: async ({ routes }) => json(200, openApiDocument(routes)),
});

export const operationRoutes: readonly Route[] = [readDocument];
