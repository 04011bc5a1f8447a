import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { rowJobId, rowKeyAt } from '../app/batch-turn.ts';
import { viewJob, viewSteps } from '../app/views.ts';
import type { World } from '../app/world.ts';
import { type Batch, poolLeft, rowsOf } from '../core/batch.ts';
import { usd as dollars } from '../core/job.ts';
import { startedResult, unstartedResult } from '../core/row-result.ts';
import { stopMessage } from '../core/stop-message.ts';
import type { ReportAbout } from '../report/about.ts';
import type { Report } from '../report/report.ts';
import type { AcceptedRow } from '../ticket-rows.ts';
import { type CsvRow, type ResultRow, rejectedLine, resultLine, resultsCsv } from '../tickets/results.ts';
import { type Summary, summarise } from '../tickets/summary.ts';
import { resultTable, totalsText } from '../tickets/table.ts';
import { codeOf } from './exit-codes.ts';
import type { Input } from './read-input.ts';
import type { Terminal } from './terminal.ts';

export interface ResultsWork {
  readonly world: World;
  readonly batchId: string;
  /** The run was finished before: nothing was asked this time. */
  readonly again: boolean;
  readonly modelCalls: number;
  readonly input: Input;
  readonly terminal: Terminal;
  readonly model: { readonly scripted: boolean; readonly name: string };
  readonly options: {
    readonly out: string;
    readonly files: readonly string[];
    readonly json: boolean;
    readonly quiet: boolean;
  };
}

/** Writes the result files, prints the table and the totals, and returns the exit code. */
export async function writeResults(work: ResultsWork): Promise<number> {
  const { world, batchId, input, terminal, options, model } = work;
  const batch = await world.store.loadBatch(batchId);
  if (batch === undefined) throw new Error(`batch ${batchId} is gone`);
  const { createReport } = await import('../report/report.ts');
  const report = createReport();
  for (const row of input.rejected) report.reject(row);
  const rows: CsvRow[] = [];
  for (const [ordinal, accepted] of input.accepted.entries()) {
    rows.push({ row: await resultOf(world, batch, ordinal, accepted, report), fields: accepted.fields });
  }
  const results = rows.map(({ row }) => row);
  const summary = summarise({
    tally: input.tally,
    rows: results,
    budgetUsd: dollars(batch.budget),
    modelCalls: work.modelCalls,
    scripted: model.scripted,
    out: options.out,
  });
  await writeFiles(options.out, rows, input, report.html(aboutOf(work, batch, summary)));
  if (options.json) {
    terminal.out(`${JSON.stringify(summary)}\n`);
    return codeOf(summary);
  }
  if (work.again) terminal.out('This run was finished before: here are its results again, at no cost.\n\n');
  if (!options.quiet) terminal.out(resultTable(results, terminal));
  terminal.out(`\n${totalsText(summary)}`);
  const stopped = whyStopped(batch, summary.jobs.notStarted);
  if (stopped !== '') terminal.out(`stopped  ${stopped}\n`);
  terminal.out(waitingText(results, decideCommand(options.files)));
  terminal.out(
    `results  ${join(options.out, 'results.jsonl')}, results.csv, report.html${input.rejected.length > 0 ? ', rejected.jsonl' : ''}\n`,
  );
  if (model.scripted)
    terminal.out(`All answers are ${model.name}: no model was asked and no money was spent.\n`);
  return codeOf(summary);
}

/** Why rows were kept from starting, with the figures: the pool is used up, or held by jobs that wait for a person. */
function whyStopped(batch: Batch, notStarted: number): string {
  if (batch.stop !== undefined) return stopMessage(batch.stop);
  if (notStarted === 0 || batch.open.length === 0) return '';
  const held = dollars(batch.open.reduce((sum, row) => sum + row.ceiling, 0));
  const left = dollars(poolLeft(batch));
  return `${notStarted} tickets were not started: a job needs $${dollars(batch.ceiling)}, $${left} is left, $${held} is held by jobs that wait for a person.`;
}

/** Which tickets wait for a person, and the command that decides them. */
function waitingText(rows: readonly ResultRow[], decide: string): string {
  const waiting = rows.filter((row) => row.status === 'awaiting_approval');
  if (waiting.length === 0) return '';
  const ids = waiting.map((row) => row.id).join(', ');
  return `waiting  ${ids}: decide with  ${decide}\n`;
}

function decideCommand(files: readonly string[]): string {
  const named = files.map((file) => relative(process.cwd(), file) || file).join(' ');
  return `npm run triage -- ${named} --approvals ask`;
}

function aboutOf({ model, options }: ResultsWork, batch: Batch, summary: Summary): ReportAbout {
  return {
    agent: batch.agent,
    startedAt: new Date(batch.createdAtMs).toISOString(),
    summary,
    scripted: model.scripted ? model.name : undefined,
    stopped: whyStopped(batch, summary.jobs.notStarted),
    decide: decideCommand(options.files),
  };
}

async function resultOf(
  world: World,
  batch: Batch,
  ordinal: number,
  accepted: AcceptedRow,
  report: Report,
): Promise<ResultRow> {
  const { ticket, line } = accepted;
  const common = { id: ticket.id, line, duplicateOf: null };
  const jobId = ordinal < rowsOf(batch) ? rowJobId(world, batch, await rowKeyAt(world, batch, ordinal)) : '';
  const job = await viewJob(world, batch.tenant, jobId);
  const unstarted = batch.status === 'cancelled' ? 'cancelled' : 'not_started';
  const result = job === undefined ? unstartedResult(ticket.id, unstarted) : startedResult(ticket.id, job);
  const needsReview = result.needsReview || (job !== undefined && accepted.subjectOnly);
  const row = { ...common, ...result, needsReview };
  const trace = async () => (await viewSteps(world, batch.tenant, jobId)) ?? [];
  report.add({ row, subject: ticket.subject, job, trace });
  return row;
}

/** Each file is written beside its place and moved there whole, so that a reader never sees half of one. */
async function writeFiles(
  out: string,
  rows: readonly CsvRow[],
  input: Input,
  report: AsyncIterable<string>,
): Promise<void> {
  await mkdir(out, { recursive: true });
  const write = async (name: string, text: string | AsyncIterable<string>): Promise<void> => {
    await writeFile(join(out, `${name}.part`), text);
    await rename(join(out, `${name}.part`), join(out, name));
  };
  await write('results.jsonl', rows.map(({ row }) => resultLine(row)).join(''));
  await write('results.csv', resultsCsv(rows));
  await write('report.html', report);
  if (input.rejected.length > 0) await write('rejected.jsonl', input.rejected.map(rejectedLine).join(''));
}
