import type { Client, Job } from '../../client.ts';
import { isObject } from '../../core/content.ts';
import { usd } from '../../tickets/summary.ts';
import { exitCode } from '../exit-codes.ts';
import type { Asking } from './asking.ts';
import { waitingCommands } from './decide.ts';
import { itemsOf, pagesOf, writeJson } from './pages.ts';
import { bar, jobLine, painted, shareOf, ticketOf, valueText, visible } from './shown.ts';
import { timeBar, tookMs } from './time-bar.ts';
import { clipped } from './wrapped.ts';

type Step = Awaited<ReturnType<Client['steps']>>['items'][number];
type Call = Step['calls'][number];

const BAR = 24;
const NAME = 9;
/** What is shorter is what the writes and messages between two steps take. */
const LEAST_WAIT_MS = 1_000;

/** What a job did, step by step: time, money, calls. */
export async function trace(asking: Asking, id: string): Promise<number> {
  const { client, terminal, json } = asking;
  const steps = (page: object) => client.steps(id, page);
  if (json) {
    await writeJson(pagesOf(steps, { all: true }), terminal.out);
    return exitCode.done;
  }
  const job = await client.job(id);
  const lines = createLines(asking);
  terminal.out(jobLine(job, terminal.color));
  const ticket = ticketOf(job);
  if (ticket !== '') lines('ticket', ticket);
  lines('input', visible(job.input));
  let spentMicro = 0;
  let endMs = Date.parse(job.createdAt);
  for await (const step of itemsOf(steps)) {
    spentMicro += Math.round(step.model.costUsd * 1e6);
    const atMs = Date.parse(step.at);
    showStep(asking, step, { job, spentUsd: spentMicro / 1e6, waitedMs: atMs - tookMs(step.ms) - endMs });
    endMs = atMs;
  }
  showEnd(asking, job);
  return exitCode.done;
}

/** Writes a line under its name, as wide as the terminal at most. */
function createLines({ terminal }: Asking): (name: string, text: string, faulty?: boolean) => void {
  return (name, text, faulty = false) => {
    const line = clipped(`  ${name.padEnd(NAME)}  ${text}`, terminal.width);
    terminal.out(`${painted(line, faulty ? 'bad' : undefined, terminal.color)}\n`);
  };
}

function showStep(
  asking: Asking,
  { step, at, model, ms, text, calls, droppedMessages }: Step,
  { job, spentUsd, waitedMs }: { readonly job: Job; readonly spentUsd: number; readonly waitedMs: number },
): void {
  const { terminal } = asking;
  const lines = createLines(asking);
  const after = ((Date.parse(at) - Date.parse(job.createdAt)) / 1_000).toFixed(1);
  const tries = model.attempts > 1 ? `  attempt ${model.attempts}: the ones before died` : '';
  const head = `step ${step}  ${at.slice(0, 19).replace('T', ' ')}  +${after} s  ${visible(model.stopReason)}${tries}`;
  terminal.out(`\n${painted(head, 'strong', terminal.color)}\n`);
  if (waitedMs >= LEAST_WAIT_MS) {
    const seconds = (waitedMs / 1_000).toFixed(1);
    lines('waited', `${seconds} s before it, as for a person or until the model could be asked again`);
  }
  lines('time', timeBar(ms, BAR));
  const { ceilingUsd } = job.cost;
  const held = `${usd(model.costUsd)}, ${usd(model.reservedUsd)} was held`;
  lines(
    'money',
    `${bar(shareOf(spentUsd, ceilingUsd), BAR)} ${held}; ${usd(spentUsd)} so far of ${usd(ceilingUsd)}`,
  );
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = model.usage;
  lines(
    'tokens',
    `${inputTokens} in, ${outputTokens} out, ${cacheWriteTokens} written to the cache, ${cacheReadTokens} read from it`,
  );
  if (droppedMessages !== undefined) lines('left out', `the oldest ${droppedMessages} messages`);
  if (text.trim() !== '') lines('says', visible(text));
  for (const call of calls) showCall(lines, call);
}

function showCall(
  lines: ReturnType<typeof createLines>,
  { name, input, output, isError, policy, ms }: Call,
): void {
  const how = output === null ? '' : `  (${policy ?? 'unknown'}, ${ms} ms)`;
  lines(isError ? 'FAILED' : 'call', `${visible(name)} ${valueText(input)}${how}`, isError);
  if (output !== null) lines('', `→ ${outputText(output)}`, isError);
  else if (name !== 'return_answer') lines('', '→ not run');
}

/** A result is text, or blocks of it. */
function outputText(output: unknown): string {
  if (!Array.isArray(output)) return valueText(output);
  return output
    .map((block: unknown) =>
      isObject(block) && 'text' in block ? valueText(block['text']) : valueText(block),
    )
    .join(' ');
}

function showEnd(asking: Asking, job: Job): void {
  const { terminal } = asking;
  const lines = createLines(asking);
  const { spentUsd, reservedUsd, unsettledUsd, ceilingUsd, savedByCacheUsd } = job.cost;
  terminal.out('\n');
  lines('spent', `${usd(spentUsd)} of ${usd(ceilingUsd)}, ${usd(savedByCacheUsd)} saved by the cache`);
  if (reservedUsd > 0) lines('held', `${usd(reservedUsd)} for the request under way`);
  if (unsettledUsd > 0) {
    lines('unsettled', `${usd(unsettledUsd)} of it: held for requests whose outcome is unknown`);
  }
  if (job.stop !== null) lines('end', `${job.stop.reason}: ${visible(job.stop.message)}`);
  else lines('now', job.status.replaceAll('_', ' '));
  if (job.output !== null) lines('output', valueText(job.output));
  else if (job.stop !== null && job.text !== null) lines('text', visible(job.text));
  if (job.status === 'awaiting_approval') terminal.err(`\n${waitingCommands(job)}`);
}
