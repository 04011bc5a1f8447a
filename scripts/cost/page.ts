import { assumed, MONTH_DAYS } from './assumptions.ts';
import { bill, idleMonth, keptMonth, type Line, peers, tokens, total } from './bill.ts';
import type { Count } from './meter.ts';
import prices from './prices.json' with { type: 'json' };
import { type Ran, runWork, type Work } from './run.ts';

const BEGIN = '<!-- begin: written by npm run cost -->';
const END = '<!-- end -->';

const { steps, stepBytes, modelSeconds, polls } = assumed;
const usual: Work = {
  ...{ steps, stepBytes, polls, modelMs: modelSeconds * 1_000, batch: 10 },
  ...{ policy: 'pure', cold: true },
};

const models = ['claude-haiku-5-5', 'claude-sonnet-5-5', 'claude-opus-5-5'] as const;

const usd = (value: number): string => value.toFixed(2);
const big = (value: number): string => Math.round(value).toLocaleString('en-US');

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  // Figures stand to the right.
  const rules = titles.map((title) => (/\$/.test(title) ? '---:' : '---'));
  return [titles, rules, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function ours(full: Ran, single: Ran): string {
  const one = bill(single, 1);
  const rows = bill(full, 10).map(({ name, of, usd: cost }, at) => [
    ...[name, of, usd(cost)],
    usd(one[at]?.usd ?? 0),
  ]);
  return table(
    ['component', 'counted for one step, batches of 10', '$ at 10', '$ at 1'],
    [...rows, ['**together**', '', `**${usd(total(bill(full, 10)))}**`, `**${usd(total(one))}**`]],
  );
}

function counts({ steps: all, submit, polls: polled, worker, ending }: Ran): string {
  const row = (name: string, part: Count): readonly string[] =>
    [name, part.readUnits, part.writeUnits, part.indexUnits, part.queueRequests, part.logBytes].map(String);
  const units = [
    row('submitting', submit),
    row('polling', polled),
    row('worker', worker),
    row('reconciler, after the end', ending),
  ];
  return table(
    [`for ${all} steps`, 'read units', 'write units', 'index units', 'SQS requests', 'bytes logged'],
    units,
  );
}

function beside(full: Ran, single: Ran): string {
  const rows: readonly Line[] = [
    { name: 'Treadle, batches of 10', of: 'everything above', usd: total(bill(full, 10)) },
    {
      name: 'Treadle, batches of 1',
      of: 'the same with a queue that is never full',
      usd: total(bill(single, 1)),
    },
    ...peers(),
  ];
  return table(
    ['', 'what it is made of', '$'],
    rows.map(({ name, of, usd: cost }) => [name, of, usd(cost)]),
  );
}

function months(full: Ran): string {
  const lines = idleMonth(full).filter((line) => line.usd > 0);
  return table(
    ['in an idle month', 'how much', '$'],
    [
      ...lines.map(({ name, of, usd: cost }) => [name, of, usd(cost)]),
      ['**together**', '', `**${usd(total(lines))}**`],
    ],
  );
}

/** Of reads and writes of the table. */
const asked = (ran: Ran): number => total(bill(ran, 10).filter(({ name }) => /writes|reads/.test(name)));

function differences(full: Ran, warm: Ran, journalled: Ran): string {
  const calls = (journalled.steps - journalled.jobs) / journalled.steps;
  const { keptDays } = full;
  const cells = [
    ['every step finds its transcript in memory', usd(asked(warm) - asked(full))],
    [
      'each million calls of a `once` tool with results of 3 KB',
      usd((asked(journalled) - asked(full)) / calls),
    ],
    ['each month that a million steps are kept', usd(keptMonth(full))],
    [
      `kept until they expire, ${keptDays.toFixed(0)} days, instead of ${assumed.keptDays}`,
      usd((keptMonth(full) * (keptDays - assumed.keptDays)) / MONTH_DAYS),
    ],
  ];
  return table(['what changes it', '$ more'], cells);
}

function priceTable(): string {
  return table(
    ['price', '$', 'per', 'source', 'read'],
    Object.values(prices.prices).map(({ usd: cost, per, unit, source, read }) => [
      ...[unit, String(cost), per === 1 ? '1' : big(per), source, read],
    ]),
  );
}

const modelTable = (): string =>
  table(
    ['model', '$ all cached', '$ nothing cached'],
    models.map((model) => {
      const { cached, uncached } = tokens(model);
      return [`\`${model}\``, big(cached), big(uncached)];
    }),
  );

/** Everything that the page shows, as it is now. */
export async function costNow(): Promise<{ readonly text: string; readonly usd: number }> {
  const full = await runWork(usual);
  const single = await runWork({ ...usual, batch: 1 });
  const warm = await runWork({ ...usual, cold: false });
  const journalled = await runWork({ ...usual, policy: 'once' });
  const text = [
    '## A million steps',
    ours(full, single),
    '## What was counted',
    counts(full),
    '## What changes it',
    differences(full, warm, journalled),
    '## Beside it',
    beside(full, single),
    '## The larger bill: tokens',
    modelTable(),
    '## When nothing happens',
    months(full),
    '## Prices',
    `${prices.region}.`,
    priceTable(),
  ].join('\n\n');
  return { text, usd: total(bill(full, 10)) };
}

/** A page with what stands between its marks replaced. */
export function withText(page: string, text: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`the page has no ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${text}\n\n${END}${after}`;
}
