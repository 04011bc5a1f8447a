import type { Job } from '../../client.ts';
import { microUsd } from '../../core/job.ts';
import { usd } from '../../tickets/summary.ts';
import { exitCode } from '../exit-codes.ts';
import type { Asking } from './asking.ts';
import { waitingCommands } from './decide.ts';
import { itemsOf, pagesOf, writeJson } from './pages.ts';
import { jobLine, ticketOf, valueText, visible } from './shown.ts';
import { tookMs } from './time-bar.ts';
import { createLines } from './trace-lines.ts';
import { type Step, showStep } from './trace-step.ts';

/** What a job did, step by step: time, money, calls. */
export async function trace(asking: Asking, id: string): Promise<number> {
  const { client, terminal, json } = asking;
  const steps = (page: object) => client.steps(id, page);
  if (json) {
    await writeJson(pagesOf(steps, { all: true }), terminal.out);
    return exitCode.done;
  }
  const job = await client.job(id);
  const lines = createLines(terminal);
  terminal.out(jobLine(job, terminal.color));
  const ticket = ticketOf(job);
  if (ticket !== '') lines.cut('ticket', ticket);
  lines.cut('input', visible(job.input));
  let spentMicro = 0;
  let unsettledMicro = 0;
  let endMs = Date.parse(job.createdAt);
  let before: Step | undefined;
  for await (const step of itemsOf(steps)) {
    spentMicro += microUsd(step.model.costUsd) + microUsd(step.model.unsettledUsd);
    unsettledMicro += microUsd(step.model.unsettledUsd);
    const atMs = Date.parse(step.at);
    const waitedMs = atMs - tookMs(step.ms) - endMs;
    showStep(terminal, step, { job, before, spentUsd: spentMicro / 1e6, waitedMs });
    endMs = atMs;
    before = step;
  }
  showEnd(asking, job, (microUsd(job.cost.unsettledUsd) - unsettledMicro) / 1e6);
  return exitCode.done;
}

/** `sinceUsd`: what is unsettled and stands in no step. */
function showEnd({ terminal, endpoint }: Asking, job: Job, sinceUsd: number): void {
  const lines = createLines(terminal);
  const { spentUsd, reservedUsd, unsettledUsd, ceilingUsd, savedByCacheUsd } = job.cost;
  terminal.out('\n');
  lines.whole('spent', `${usd(spentUsd)} of ${usd(ceilingUsd)}, ${usd(savedByCacheUsd)} saved by the cache`);
  if (reservedUsd > 0) lines.whole('held', `${usd(reservedUsd)} for the request under way`);
  if (unsettledUsd > 0) {
    const since = sinceUsd > 0 ? `; ${usd(sinceUsd)} since the last step` : '';
    lines.whole(
      'unsettled',
      `${usd(unsettledUsd)} of it: held for requests whose outcome is unknown${since}`,
    );
  }
  if (job.stop !== null) lines.whole('end', `${job.stop.reason}: ${visible(job.stop.message)}`);
  else lines.whole('now', job.status.replaceAll('_', ' '));
  if (job.output !== null) lines.cut('output', valueText(job.output));
  else if (job.stop !== null && job.text !== null) lines.cut('text', visible(job.text));
  if (job.status === 'awaiting_approval') terminal.err(`\n${waitingCommands(job, endpoint)}`);
}
