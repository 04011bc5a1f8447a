import { join } from 'node:path';
import { printedJson } from '../core/printed.ts';
import type { PrivateKind } from '../core/redact.ts';
import { makeFolder } from '../local/make-folder.ts';
import type { ReportAbout } from '../report/about.ts';
import type { Report } from '../report/report.ts';
import { oneLine } from '../tickets/padded.ts';
import { BYTE_ORDER_MARK, createCsvColumns, type ResultRow, resultLine } from '../tickets/results.ts';
import { createSumming, type Summary } from '../tickets/summary.ts';
import { totalsText } from '../tickets/table.ts';
import { consoleCommand, decideCommands } from './decide-command.ts';
import { codeOf } from './exit-codes.ts';
import type { Input } from './read-input.ts';
import { fieldsOfRows, type PagedRow, resultPages } from './result-pages.ts';
import { resultTable } from './result-table.ts';
import type { Run, RunEnd } from './run.ts';
import { writeWhole } from './spool.ts';
import type { Terminal } from './terminal.ts';
import type { TriageOptions } from './triage.ts';

export interface ResultsWork {
  readonly run: Run;
  /** The run was finished before: nothing was asked this time. */
  readonly again: boolean;
  /** Requests to the model in this run; undefined where they are made elsewhere: then its replies are counted. */
  readonly modelCalls: number | undefined;
  /** Of those replies: the ones that were there before this run looked. @default none */
  readonly repliesBefore?: number;
  readonly input: Input;
  readonly terminal: Terminal;
  readonly model: { readonly scripted: boolean; readonly name: string };
  /** What the report hides. */
  readonly hides: readonly PrivateKind[];
  readonly options: TriageOptions;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Rows that are shown in the terminal; the others are in the files. */
const MAX_SHOWN = 200;
/** Waiting tickets that are named. */
const MAX_NAMED = 50;

/** Writes the result files, prints the table and the totals, and returns the exit code. No row is kept but those shown. */
export async function writeResults(work: ResultsWork): Promise<number> {
  const { run, input, terminal, options, model, modelCalls } = work;
  const end = await run.end();
  // The libraries that draw are loaded only here.
  const { createReport } = await import('../report/report.ts');
  const report = createReport(work.hides);
  const { summing, shown, waiting, steps } = await writeFiles(work, end.cancelled, report);
  const summary = summing.summary({
    tally: input.tally,
    budgetUsd: end.budgetUsd,
    modelCalls: modelCalls ?? Math.max(0, steps - (work.repliesBefore ?? 0)),
    scripted: model.scripted,
    out: options.out,
  });
  await writeWhole(join(options.out, 'report.html'), report.html(aboutOf(work, end, summary)));
  if (options.json) {
    terminal.out(`${printedJson(summary)}\n`);
    return codeOf(summary);
  }
  if (work.again) terminal.out('This run was finished before: here are its results again, at no cost.\n\n');
  if (!options.quiet) terminal.out(resultTable(shown, terminal));
  const more = summary.accepted - shown.length;
  if (!options.quiet && more > 0) terminal.out(`… and ${more} more in results.jsonl\n`);
  terminal.out(`\n${totalsText(summary, summing.beside())}`);
  const stopped = whyStopped(end, summary.jobs.notStarted);
  if (stopped !== '') terminal.out(`stopped  ${stopped}\n`);
  terminal.out(waitingText(waiting, summary.jobs.awaitingApproval, work));
  terminal.out(rejectedText(input));
  const rejected = summary.rejected > 0 ? ', rejected.jsonl' : '';
  terminal.out(`results  ${join(options.out, 'results.jsonl')}, results.csv, report.html${rejected}\n`);
  if (model.scripted)
    terminal.out(`All answers are ${model.name}: no model was asked and no money was spent.\n`);
  return codeOf(summary);
}

/** Why rows were kept from starting, with the figures: the pool is used up, or held by jobs that wait for a person. */
function whyStopped({ stopped, pool }: RunEnd, notStarted: number): string {
  if (stopped !== '') return stopped;
  if (notStarted === 0 || pool === undefined) return '';
  const rows = notStarted === 1 ? '1 ticket was' : `${notStarted} tickets were`;
  return `${rows} not started: a job needs $${pool.ceilingUsd}, $${pool.leftUsd} is left, $${pool.heldUsd} is held by jobs that wait for a person.`;
}

/** Which tickets wait for a person, and the commands that decide them. */
function waitingText(
  waiting: readonly string[],
  count: number,
  { options, environment }: Pick<ResultsWork, 'options' | 'environment'>,
): string {
  if (count === 0) return '';
  const decide = decideCommands(options, environment);
  const inConsole = consoleCommand(options);
  const beside = decide.includes(inConsole) ? '' : `         or in the console of  ${inConsole}\n`;
  const more = count > waiting.length ? ` and ${count - waiting.length} more` : '';
  return `waiting  ${waiting.join(', ')}${more}: decide with  ${decide.join('  and beside it  ')}\n${beside}`;
}

/** Rejected rows that are named. */
const MAX_REJECTED = 5;

/** The first rows that were rejected and why: they alone make the exit code 3. */
function rejectedText({ tally, firstRejected }: Pick<Input, 'tally' | 'firstRejected'>): string {
  if (tally.rejected === 0) return '';
  const named = firstRejected.slice(0, MAX_REJECTED);
  const lines = named.map(({ line, reason }) =>
    // Some reasons name the line themselves, beside another.
    reason.startsWith(`line ${line} `) ? oneLine(reason) : `line ${line}: ${oneLine(reason)}`,
  );
  const left = tally.rejected - named.length;
  const all = left > 0 ? [...lines, `and ${left} more in rejected.jsonl`] : lines;
  return all.map((text, at) => `${at === 0 ? 'rejected ' : '         '}${text}\n`).join('');
}

function aboutOf({ model, options, environment }: ResultsWork, end: RunEnd, summary: Summary): ReportAbout {
  return {
    agent: end.agent,
    startedAt: end.startedAt,
    summary,
    scripted: model.scripted ? model.name : undefined,
    stopped: whyStopped(end, summary.jobs.notStarted),
    decide: decideCommands(options, environment),
  };
}

interface Written {
  readonly summing: ReturnType<typeof createSumming>;
  readonly shown: readonly ResultRow[];
  /** The ids of the first that wait for a person. */
  readonly waiting: readonly string[];
  /** Committed replies of all jobs. */
  readonly steps: number;
}

/** Writes the files row by row; `results.csv` last, because only all rows together tell its columns. */
async function writeFiles(
  { run, input, options }: ResultsWork,
  cancelled: boolean,
  report: Report,
): Promise<Written> {
  await makeFolder(options.out);
  const summing = createSumming();
  const columns = createCsvColumns();
  const shown: ResultRow[] = [];
  const waiting: string[] = [];
  let steps = 0;
  /** Every result passes here once, in the order of the rows. */
  const take = ({ row, subject, job }: PagedRow): void => {
    summing.add(row);
    steps += row.steps;
    report.add({ row, subject, job, trace: () => run.steps(row.jobId ?? '') });
    if (shown.length < MAX_SHOWN) shown.push(row);
    if (row.status === 'awaiting_approval' && waiting.length < MAX_NAMED) waiting.push(row.id);
  };
  const results = join(options.out, 'results.jsonl');
  async function* lines(): AsyncGenerator<string> {
    for await (const page of resultPages(run, cancelled, input)) {
      for (const one of page) {
        take(one);
        columns.add(one);
      }
      yield page.map(({ row }) => resultLine(row)).join('');
    }
  }
  async function* table(): AsyncGenerator<string> {
    yield BYTE_ORDER_MARK + columns.header();
    for await (const page of fieldsOfRows(run, results)) yield columns.lines(page);
  }
  for (const row of input.firstRejected) report.reject(row);
  await writeWhole(results, lines());
  await writeWhole(join(options.out, 'results.csv'), table());
  await input.writeRejected(join(options.out, 'rejected.jsonl'));
  return { summing, shown, waiting, steps };
}
