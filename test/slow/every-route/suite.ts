import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/api/openapi.ts';
import { routes } from '../../../src/api/routes.ts';
import { approvalTests } from './approvals.ts';
import { batchTests } from './batches.ts';
import { jobTests } from './jobs.ts';
import { operationTests } from './operations.ts';
import { refusalTests } from './refusals.ts';
import { resultTests } from './results.ts';
import type { Target } from './target.ts';
import { type Visit, visitorsOf } from './visitor.ts';

/** What the tests of a part are given once the target runs. */
export interface Stage {
  readonly target: () => Target;
  readonly visit: Visit;
}

/** Problems that no request to a target that is well can bring about: a missing permission, a spent day, a fault. */
const notDriven: ReadonlySet<string> = new Set(['403', '429', '503']);

/** Every answer that a document speaks of: `readJob 200`. */
function answersOf(document: object): readonly string[] {
  const { paths } = document as {
    paths: Record<string, Record<string, { operationId: string; responses: object }>>;
  };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  return operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses)
      .filter((status) => !notDriven.has(status))
      .map((status) => `${operationId} ${status}`),
  );
}

/** Every operation of the API over HTTP, with every answer that the document has for it. */
export function everyRoute(name: string, open: () => Promise<Target>): void {
  describe(`every route of ${name}`, () => {
    let opened: Target | undefined;
    const target = (): Target => {
      if (opened === undefined) throw new Error('the target is not open');
      return opened;
    };
    const seen = new Set<string>();
    const stage: Stage = { target, visit: (tenant) => visitorsOf(target(), seen)(tenant) };
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());

    jobTests(stage);
    approvalTests(stage);
    batchTests(stage);
    resultTests(stage);
    refusalTests(stage);
    operationTests(stage);

    it('serves the document of these sources, and was seen to give every answer in it', async () => {
      const { json: document } = await stage.visit('operations').ask('readDocument', 200);
      expect(document).toEqual(openApiDocument(routes));
      expect(answersOf(document).filter((answer) => !seen.has(answer))).toEqual([]);
    });
  });
}
