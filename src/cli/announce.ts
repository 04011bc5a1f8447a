import { cleanText } from '../core/safe-json.ts';
import { exactUsd } from '../tickets/summary.ts';
import type { Input } from './read-input.ts';
import type { Terminal } from './terminal.ts';
import type { TriageOptions } from './triage.ts';

/** What a run is to cost at most is told by these. */
export interface Asked {
  readonly options: Pick<TriageOptions, 'budgetUsd' | 'quiet'>;
  readonly terminal: Terminal;
  readonly input: Pick<Input, 'tally' | 'warnings'>;
  /** `live`: what it answers costs real money. */
  readonly model: { readonly scripted: boolean; readonly live: boolean; readonly name: string };
  /** The ceiling of each job, in US dollars. */
  readonly ceilingUsd: number;
}

/** The pool of the whole run: what was asked for, one dollar against the real API, else room for every job's ceiling. */
export function poolUsd({ options, model, input, ceilingUsd }: Omit<Asked, 'terminal'>): number {
  if (options.budgetUsd !== undefined) return options.budgetUsd;
  return model.live ? 1 : Math.max(ceilingUsd * input.tally.accepted, ceilingUsd);
}

/** Says before a run what was read, who answers, and what it may cost at most. */
export function announce(asked: Asked): void {
  const { options, terminal, model, input, ceilingUsd } = asked;
  if (options.quiet) return;
  if (model.scripted) terminal.err(`Answers are ${model.name}: no model is asked and no money is spent.\n`);
  const { read, accepted, rejected, skipped, duplicates } = input.tally;
  terminal.err(
    `Read ${read} ${read === 1 ? 'row' : 'rows'}: ${accepted} accepted, ${rejected} rejected, ${skipped} skipped, ${duplicates} duplicates.\n`,
  );
  for (const warning of input.warnings) terminal.err(`Warning: ${cleanText(warning)}.\n`);
  const worst = Math.min(poolUsd(asked), ceilingUsd * accepted);
  terminal.err(
    `${model.live ? 'This run costs' : 'By the price list this run would cost'} at most ${exactUsd(worst)}.\n`,
  );
}
