import type { Summary } from '../tickets/summary.ts';

/** What the report says of the run as a whole. */
export interface ReportAbout {
  readonly agent: string;
  /** When the run began, ISO 8601. */
  readonly startedAt: string;
  readonly summary: Summary;
  /** What answered in place of a model, in a few words; undefined where a model did. */
  readonly scripted: string | undefined;
  /** Why rows were kept from starting; empty where none was. */
  readonly stopped: string;
  /** The commands that decide what waits for a person, to be run beside each other. */
  readonly decide: readonly string[];
}
