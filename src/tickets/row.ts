import type { Ticket } from '../core/ticket.ts';

/** Where a row stands. */
export interface RowPlace {
  /** Its first line, from 1. */
  readonly line: number;
  /** Which of the rows that begin in this line it is, from 1; absent where it is the only one. */
  readonly item?: number;
  /** The name of its file; absent where only one is read. */
  readonly file?: string;
}

/** What became of one row of a ticket file. */
export type RowOutcome = RowPlace &
  (
    | {
        readonly type: 'accepted';
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
        readonly reason: string;
        readonly raw: string;
        /** The header line of the file, where `raw` cannot be read without it. */
        readonly header?: string;
        /** The reason is its id, which an earlier row has with other content. */
        readonly repeatsId?: true;
      }
    | { readonly type: 'skipped'; readonly reason: string }
    | {
        readonly type: 'duplicate';
        readonly id: string;
        readonly ofLine: number;
        readonly ofItem?: number;
        readonly ofFile?: string;
      }
  );

/** The place alone: also of what holds more than a place. */
export const placeOf = ({ line, item, file }: RowPlace): RowPlace => ({
  line,
  ...(item === undefined ? {} : { item }),
  ...(file === undefined ? {} : { file }),
});

/** A place in words: `a.json, line 1, item 5`. */
export function placeText({ line, item, file }: RowPlace): string {
  const parts = [file, `line ${line}`, item === undefined ? undefined : `item ${item}`];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** A reason beside which only the line stands: which of several rows of that line it is about goes in front. */
export const itemReason = ({ item }: RowPlace, reason: string): string =>
  item === undefined ? reason : `item ${item}: ${reason}`;

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
