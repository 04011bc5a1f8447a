import type { PrivateKind } from '../../src/core/redact.ts';
import type { ReportAbout } from '../../src/report/about.ts';
import type { ReportEntry, ReportJob, TraceStep } from '../../src/report/entry.ts';
import { createReport } from '../../src/report/report.ts';
import type { ResultRow } from '../../src/tickets/results.ts';
import { aResult, summarise } from '../tickets/a-result.ts';

/** A step of a trace; what matters to a test is given. */
export function aStep(given: Partial<TraceStep> = {}): TraceStep {
  return {
    step: 1,
    at: '2026-03-02T07:00:01.250Z',
    model: {
      stopReason: 'tool_use',
      usage: { inputTokens: 1200, outputTokens: 34, cacheWriteTokens: 0, cacheReadTokens: 900 },
      costUsd: 0.0021,
      reservedUsd: 0,
      attempts: 1,
    },
    ms: { queue: 12, model: 840, tools: 3, engine: 0 },
    text: '',
    calls: [
      {
        ...{ id: 'call_1_0', name: 'get_order', policy: 'pure', ms: 3, isError: false },
        ...{ input: { orderId: 'ORD-1' }, output: '{"status":"shipped"}' },
      },
    ],
    ...given,
  };
}

export interface Given {
  readonly row?: Partial<ResultRow>;
  readonly subject?: string;
  readonly job?: Partial<ReportJob> | null;
  readonly steps?: readonly TraceStep[];
}

export function anEntry({ row, subject, job, steps }: Given = {}): ReportEntry {
  const common = {
    ...{ input: 'Triage this ticket.', approvals: [] },
    ...{ createdAt: '2026-03-02T07:00:00.000Z', finishedAt: '2026-03-02T07:00:02.500Z' },
  };
  return {
    row: aResult(row),
    subject: subject ?? 'Where is it?',
    job: job === null ? undefined : { ...common, ...job },
    trace: async () => steps ?? [aStep()],
  };
}

/** What the report says of a run of these rows. */
export function anAbout(rows: readonly ResultRow[], given: Partial<ReportAbout> = {}): ReportAbout {
  const read = rows.length;
  const tally = { read, accepted: read, rejected: 0, skipped: 0, duplicates: 0 };
  return {
    agent: 'triage',
    startedAt: '2026-03-02T07:00:00.000Z',
    summary: summarise({ tally, rows, budgetUsd: 1, modelCalls: 3, scripted: false, out: 'triage-out' }),
    scripted: undefined,
    stopped: '',
    decide: ['npm run triage -- tickets.csv --approvals ask'],
    ...given,
  };
}

/** The whole page of a run of these rows. */
export async function pageOf(
  entries: readonly ReportEntry[],
  given: Partial<ReportAbout> = {},
  hides: readonly PrivateKind[] = [],
): Promise<string> {
  const report = createReport(hides);
  for (const entry of entries) report.add(entry);
  const rows = entries.map(({ row }) => row);
  let page = '';
  for await (const piece of report.html(anAbout(rows, given))) page += piece;
  return page;
}
