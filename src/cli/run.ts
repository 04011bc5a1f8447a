import type { startedResult } from '../core/row-result.ts';
import type { ReportJob, TraceStep } from '../report/entry.ts';
import type { TicketText } from './ticket-text.ts';

/** How far a run is. Money in US dollars. */
export interface RunState {
  readonly rows: number;
  readonly ended: number;
  readonly running: number;
  /** Jobs that wait for a person. */
  readonly waiting: number;
  readonly spentUsd: number;
  readonly budgetUsd: number;
  /** Nothing more will happen without a person: it is over, or all that is open waits. */
  readonly atRest: boolean;
}

/** A call that waits for a person. */
export interface WaitingCall {
  readonly jobId: string;
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly inputHash: string;
  readonly expiresAtMs: number;
}

/** The ticket that such a call is about, with all its words. */
export interface WaitingTicket extends TicketText {
  readonly id: string;
}

/** One accepted row. */
export interface RunRow {
  readonly id: string;
  readonly line: number;
  /** The ticket as the agent reads it. */
  readonly input: string;
  /** The columns that nobody recognised. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A job as both the table and the API give it. */
export type RunJob = ReportJob & Parameters<typeof startedResult>[1];

export interface StartedRow {
  readonly row: RunRow;
  /** Undefined for a row that was never started. */
  readonly job: RunJob | undefined;
}

/** How a run stands as a whole once nothing more happens in it. */
export interface RunEnd {
  readonly agent: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly cancelled: boolean;
  readonly budgetUsd: number;
  /** Why no more rows are started, for a person; empty where nobody and nothing stopped them. */
  readonly stopped: string;
  /** What jobs that wait for a person leave of the pool; undefined where none does. */
  readonly pool:
    | { readonly ceilingUsd: number; readonly leftUsd: number; readonly heldUsd: number }
    | undefined;
}

/** A run that has begun: what it takes to watch it, to decide in it, and to write down what came of it. */
export interface Run {
  readonly state: () => Promise<RunState>;
  readonly waiting: () => Promise<readonly WaitingCall[]>;
  /** The ticket that a waiting call is about. */
  readonly ticketOf: (call: WaitingCall) => Promise<WaitingTicket>;
  /** What somebody else has decided meanwhile stays. */
  readonly decide: (call: WaitingCall, decision: 'approve' | 'deny') => Promise<void>;
  readonly end: () => Promise<RunEnd>;
  /** All rows in the order of the files, a page at a time, as often as they are asked for. */
  readonly rows: () => AsyncGenerator<readonly RunRow[]>;
  /** The same with their jobs. */
  readonly jobs: () => AsyncGenerator<readonly StartedRow[]>;
  readonly steps: (jobId: string) => Promise<readonly TraceStep[]>;
}
