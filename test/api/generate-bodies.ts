import fc from 'fast-check';
import type { Known } from './generate-requests.ts';
import { hostileText, hostileValue, mostly } from './hostile.ts';

const limits = mostly({
  maxSteps: fc.constantFrom(1, 1, 2, 12),
  maxCostUsd: fc.constantFrom(0.01, 0.02, 0.05),
  maxTokens: fc.constantFrom(1, 50_000, 200_000),
});

const input = fc.oneof(
  fc.string(),
  fc.dictionary(fc.string(), fc.jsonValue()),
  fc.constant('Please refund order ORD-1001, the cup is broken. I want my money back.'),
);
const metadata = fc.dictionary(hostileText, fc.jsonValue(), { maxKeys: 3 });
const webhook = fc.webUrl({ validSchemes: ['https', 'http'] });
const dollars = fc.constantFrom(0.01, 0.5, 2);

const row = fc.oneof(
  {
    arbitrary: mostly({ id: fc.constantFrom('a', 'b', 'c', 'd', 'e'), input, metadata }, ['id', 'input']),
    weight: 8,
  },
  { arbitrary: hostileValue, weight: 1 },
);
const rows = fc.array(row, { maxLength: 4 });

/** Bodies of each operation that has one: mostly right. */
export function jsonBodies({ agents }: Known): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  const agent = fc.oneof({ arbitrary: fc.constantFrom(...agents), weight: 12 }, fc.constant('nobody'));
  const job = mostly({ agent, input, limits, metadata }, ['agent', 'input']);
  const batch = mostly({ agent, rows, limits, budgetUsd: dollars, open: fc.boolean() }, ['agent', 'rows']);
  const scope = mostly({ scope: fc.constantFrom('tenant', 'tenant', 'all') });
  return {
    // The same body again and again meets its own key.
    createJob: fc.oneof(
      { arbitrary: job, weight: 6 },
      { arbitrary: fc.constant({ agent: agents[0], input: 'the same' }), weight: 4 },
      { arbitrary: mostly({ agent, input, webhook }, ['agent', 'input']), weight: 1 },
    ),
    decideCall: mostly({ decision: fc.constantFrom('approve', 'deny'), reason: hostileText }, ['decision']),
    extendJob: mostly({
      addSteps: fc.integer({ min: 1, max: 5 }),
      addUsd: fc.constantFrom(0.01, 0.5),
      addTokens: fc.integer({ min: 1, max: 100_000 }),
      addSeconds: fc.integer({ min: 1, max: 100_000 }),
    }),
    retryJob: mostly({ fromStep: fc.integer({ min: 1, max: 3 }) }),
    addMessage: mostly(
      { content: fc.oneof(fc.constantFrom('And now?', 'Go on.'), fc.string({ minLength: 1 })) },
      ['content'],
    ),
    createBatch: batch,
    addRows: mostly({ rows }, ['rows']),
    extendBatch: mostly({ addUsd: dollars }, ['addUsd']),
    stopAll: scope,
    startAll: scope,
  };
}

const csvFile = fc
  .array(fc.tuple(fc.constantFrom('1', '2', '3', ''), fc.oneof(fc.string(), hostileText)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((cells) =>
    ['id,body', ...cells.map(([id, body]) => `${id},"${body.replaceAll('"', '""')}"`)].join('\n'),
  )
  .map((text) => ({ type: 'text/csv', text: text.toWellFormed() }));

const linesFile = fc
  .array(
    fc.oneof(
      row.map((value) => JSON.stringify(value) ?? ''),
      fc.string(),
    ),
    { maxLength: 4 },
  )
  .map((lines) => ({ type: 'application/x-ndjson', text: lines.join('\n').toWellFormed() }));

const anyFile = fc.oneof(
  { arbitrary: csvFile, weight: 4 },
  { arbitrary: linesFile, weight: 4 },
  {
    arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ type: 'text/csv', bytes })),
    weight: 1,
  },
);

/** Files, with the query that makes a batch of one or without. */
export function fileBodies({ agents }: Known, makesBatch: boolean) {
  if (!makesBatch) return anyFile;
  const query = fc
    .record(
      {
        agent: fc.constantFrom(...agents),
        maxSteps: fc.constantFrom('1', '2', '3', '4', '5', 'x'),
        budgetUsd: fc.constantFrom('0.5', '0.6', '0.7', '1', '2', '-1'),
        open: fc.constantFrom('true', 'false'),
      },
      { requiredKeys: ['agent'] },
    )
    .map((given) => new URLSearchParams(given).toString());
  return fc.tuple(anyFile, query).map(([file, search]) => ({ ...file, query: search }));
}
