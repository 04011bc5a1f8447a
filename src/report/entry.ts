import type { ResultRow } from '../tickets/results.ts';

/** One row of a finished run, with what only the report shows of it. */
export interface ReportEntry {
  readonly row: ResultRow;
  readonly subject: string;
  /** Undefined for a row that was never started. */
  readonly job: ReportJob | undefined;
  /** Read only for the rows whose trace is shown, when the report is written. */
  readonly trace: () => Promise<readonly TraceStep[]>;
}

export interface ReportJob {
  /** What the model read first. */
  readonly input: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly approvals: readonly Readonly<Record<string, unknown>>[];
}

/** One committed reply, as the trace of a job shows it. */
export interface TraceStep {
  readonly step: number;
  /** ISO 8601. */
  readonly at: string;
  readonly model: Readonly<Record<string, unknown>>;
  readonly ms: Readonly<Record<string, number>>;
  readonly text: string;
  readonly calls: readonly Readonly<Record<string, unknown>>[];
}

/** A row of the ticket files that could not be read as a ticket. */
export interface RejectedEntry {
  readonly line: number;
  readonly reason: string;
}
