import type { Batch } from '../client.ts';
import { printedJson } from '../core/printed.ts';
import { type Difference, differenceOf } from '../eval/difference.ts';
import { type Figures, figuresOf } from '../eval/figures.ts';
import type { Measured } from '../eval/measured.ts';
import { type SavedRun, savedRunOf, savedText } from '../eval/saved-run.ts';
import { oneLine } from '../tickets/padded.ts';
import { differenceText } from './difference-text.ts';
import type { EvalCases } from './eval-cases.ts';
import type { DeployedAgent } from './eval-deployment.ts';
import { figuresText, listed } from './eval-text.ts';
import { codeOf } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** All that came of a run. */
export interface Evaluation {
  readonly cases: EvalCases;
  readonly agent: DeployedAgent;
  readonly baseline: SavedRun | undefined;
  /** ISO 8601. */
  readonly at: string;
  readonly batch: Batch;
  readonly measured: readonly Measured[];
  /** Ids of cases that no job was started for. */
  readonly notRun: readonly string[];
  readonly denied: number;
  readonly rejected: readonly { readonly id: string | null; readonly reason: string }[];
  readonly scripted: string | null;
}

export interface OutputOptions {
  readonly save: string | undefined;
  readonly baseline: string | undefined;
  readonly rightField: readonly string[] | undefined;
  readonly json: boolean;
}

/** What figures mean where no model was asked. */
export const scriptedSentence = (scripted: string): string =>
  `Answers are ${scripted}: no model is asked, and the figures show only that the measuring works.`;

/** Prints the figures, saves the run where that is asked for, and returns the exit code. */
export async function writeEvaluation(
  evaluation: Evaluation,
  options: OutputOptions,
  terminal: Terminal,
  save: (file: string, text: string) => Promise<void>,
): Promise<number> {
  const { scripted } = evaluation;
  const figures = figuresOf(evaluation.measured, options.rightField);
  const saved = savedOf(evaluation);
  const { baseline } = evaluation;
  const difference = baseline === undefined ? undefined : differenceOf(baseline, saved);
  if (options.json) {
    terminal.out(`${printedJson(report(evaluation, options, figures, difference))}\n`);
  } else {
    const frame = scripted === null ? '' : `${scriptedSentence(scripted)}\n`;
    const parts = [
      headText(evaluation, figures),
      figures.cases === 0 ? 'No case was run: there are no figures.\n' : figuresText(figures),
      ...(difference === undefined ? [] : [differenceText(options.baseline ?? '', difference)]),
    ];
    terminal.out([frame, ...parts, frame].filter((part) => part !== '').join('\n'));
  }
  if (options.save !== undefined && figures.cases > 0) {
    await save(options.save, savedText(saved));
    terminal.err(`Saved as ${options.save}: --baseline ${options.save} compares with it.\n`);
  }
  if (options.json && scripted !== null) terminal.err(`${scriptedSentence(scripted)}\n`);
  return codeOf(endsOf(evaluation, figures));
}

function savedOf({ measured, at, agent, scripted, cases }: Evaluation): SavedRun {
  const { name, version, model } = agent;
  return savedRunOf(measured, { at, agent: { name, version, model }, scripted, casesHash: cases.casesHash });
}

/** How the jobs ended, as exit codes are made of it. */
function endsOf({ cases, rejected, notRun }: Evaluation, { notSucceeded }: Figures) {
  const stopReasons = Object.fromEntries(notSucceeded.map(({ stop, ids }) => [stop, ids.length]));
  const stopped = notSucceeded.reduce((sum, { ids }) => sum + ids.length, 0);
  return {
    rejected: cases.refused.length + rejected.length,
    stopReasons,
    jobs: { failed: 0, cancelled: 0, stopped, notStarted: notRun.length },
  };
}

function report(
  evaluation: Evaluation,
  options: OutputOptions,
  figures: Figures,
  difference: Difference | undefined,
) {
  const { cases, agent, batch, measured, notRun, denied, rejected, scripted, at, baseline } = evaluation;
  const { calibration, cases: _, ...measures } = figures;
  const { name, version, model } = agent;
  return {
    ...{ scripted, at, agent: { name, version, model }, batchId: batch.id },
    cases: {
      labelled: cases.cases.length,
      run: measured.length,
      succeeded: measured.filter(({ stop }) => stop === undefined).length,
      ...{ unlabelled: cases.unlabelled, refused: cases.refused, rejected, notRun },
      ...{ skipped: cases.skipped, duplicates: cases.duplicates },
    },
    denied,
    cost: { spentUsd: batch.cost.spentUsd, budgetUsd: batch.cost.budgetUsd },
    stop: batch.stop,
    ...measures,
    calibration: calibration ?? null,
    baseline:
      difference === undefined
        ? null
        : {
            ...{ file: options.baseline ?? null, at: baseline?.at ?? null, ...difference },
            worse: difference.fields.filter(({ verdict }) => verdict === 'worse').map(({ field }) => field),
          },
    saved: measured.length > 0 ? (options.save ?? null) : null,
  };
}

function headText(evaluation: Evaluation, { notSucceeded }: Figures): string {
  const { cases, agent, batch, measured, notRun, denied, rejected } = evaluation;
  const refused = [
    ...cases.refused.map(({ line, reason }) => `line ${line}: ${reason}`),
    ...rejected.map(({ id, reason }) => `${id ?? 'a row'}: ${reason}`),
  ];
  const line = (name: string, text: string): string => `${name.padEnd(9)} ${text}\n`;
  const some = (name: string, ids: readonly string[], what: string): string =>
    ids.length === 0 ? '' : line(name, `${ids.length} ${what}: ${listed(ids)}`);
  return [
    line('agent', `${oneLine(agent.name)} ${oneLine(agent.version)}, ${oneLine(agent.model)}`),
    line('cases', `${measured.length} of ${cases.cases.length} labelled cases were run`),
    some('left out', cases.unlabelled, 'without labels'),
    some('refused', refused, refused.length === 1 ? 'row' : 'rows'),
    some('not run', notRun, `not started${batch.stop === null ? '' : ` (${oneLine(batch.stop.message)})`}`),
    ...notSucceeded.map(({ stop, ids }) => some('failed', ids, `ended with ${stop}, wrong in every field`)),
    denied === 0
      ? ''
      : line('denied', `${denied} ${denied === 1 ? 'call' : 'calls'} that would have needed a person`),
  ].join('');
}
