import type { Ticket } from '../core/ticket.ts';

/** What became of one row of a ticket file. `line` is the row's first line, from 1. */
export type RowOutcome =
  | {
      readonly type: 'accepted';
      readonly line: number;
      readonly ticket: Ticket;
      /** Columns nobody recognised, as text: kept for the results, never shown to the model. */
      readonly fields: Readonly<Record<string, string>>;
      /** When the row says that it was updated, as the file writes it. */
      readonly updated?: string;
      /** Neither subject nor body nor thread says anything: to be answered without a model call. */
      readonly noText: boolean;
      /** Only the subject says something: to be looked at by a person as well. */
      readonly subjectOnly: boolean;
    }
  | {
      readonly type: 'rejected';
      readonly line: number;
      readonly reason: string;
      readonly raw: string;
      /** The header line of the file, where `raw` cannot be read without it. */
      readonly header?: string;
    }
  | { readonly type: 'skipped'; readonly line: number }
  | { readonly type: 'duplicate'; readonly line: number; readonly id: string; readonly ofLine: number };

/** Always: read = accepted + rejected + skipped + duplicates. */
export interface Tally {
  readonly read: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly duplicates: number;
}

export const emptyTally: Tally = { read: 0, accepted: 0, rejected: 0, skipped: 0, duplicates: 0 };

/** The tally with one more row in it. */
export function tally(before: Tally, outcome: RowOutcome): Tally {
  const next = { ...before, read: before.read + 1 };
  switch (outcome.type) {
    case 'accepted':
      return { ...next, accepted: next.accepted + 1 };
    case 'rejected':
      return { ...next, rejected: next.rejected + 1 };
    case 'skipped':
      return { ...next, skipped: next.skipped + 1 };
    case 'duplicate':
      return { ...next, duplicates: next.duplicates + 1 };
    default:
      return outcome satisfies never;
  }
}
