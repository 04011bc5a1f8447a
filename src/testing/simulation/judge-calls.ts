import type { Tool, ToolContext } from '../../core/agent.ts';
import type { ModelRequest } from '../../ports.ts';
import { requestProblem } from './check-request.ts';
import type { Court } from './court.ts';
import { callWatch, type JobWatch, watchOf } from './job-watch.ts';
import { poolHolds } from './judge-writes.ts';
import type { Process } from './sim.ts';
import { mustNotBeStopped } from './switch-watch.ts';

/** A request reaches the provider: it must be valid, extend the committed transcript, and have a reserve of its own. */
export function asked(court: Court, process: Process, jobId: string, request: ModelRequest): number {
  const { fail, agents } = court;
  court.serial += 1;
  const { serial } = court;
  const watch = watchOf(court.jobs, jobId);
  const { head } = watch;
  watch.requests += 1;
  const wrong = requestProblem(request.messages);
  if (wrong !== undefined) fail('5 transcript', jobId, wrong);
  mustNotBeStopped(court, process, head?.tenant ?? '', jobId, 'asks the model');
  const sent = request.messages.map((message) => JSON.stringify(message));
  const holds = head !== undefined && head.state === 'r' && head.fence === process.fence;
  const messages = holds ? watch.messages : historyOf(watch, sent);
  const known = sent.findIndex((text, at) => text !== messages[at]);
  const same = known < 0 ? sent.length : known;
  const trims = agents.get(head?.agent ?? '')?.context !== undefined;
  if (!trims && (same < sent.length - 1 || (holds && same < messages.length)))
    fail('5 transcript', jobId, `request ${serial} leaves the committed transcript at message ${same + 1}`);
  if (holds && request.messages.at(-1)?.role === 'assistant' && !watch.paused)
    fail('5 transcript', jobId, `request ${serial} ends with a reply that asked for nothing more`);
  if (watch.askedBy.has(process.fence))
    fail('1 money', jobId, `two requests on the reserve of fence ${process.fence}`);
  watch.askedBy.add(process.fence);
  if (holds && watch.mustAdopt === process.fence)
    fail('7 paid replies', jobId, 'a reply that was durable before the claim is paid for again');
  if (head === undefined) fail('1 money', jobId, 'a job without a head asks the model');
  return serial;
}

/** The transcript that a sleeper may know: this one, or one that a retry has cut back since. */
function historyOf({ messages, past }: JobWatch, sent: readonly string[]): readonly string[] {
  const known = past.find((old) => sent.every((text, at) => at === sent.length - 1 || text === old[at]));
  return known ?? messages;
}

/** A tool begins to take effect: for a committed call, approved where it must be, and once where it must be. */
export function ran(
  { jobs, fail }: Court,
  process: Process,
  tool: Tool,
  input: unknown,
  context: ToolContext,
): void {
  const { jobId, idempotencyKey, tenant } = context;
  const watch = watchOf(jobs, jobId);
  const call = callWatch(watch, tool.name, input);
  call.runs += 1;
  call.keys.add(idempotencyKey);
  if (tool.policy === 'once') watch.effects.add(Number(idempotencyKey.split('.')[1]));
  if (call.committed === 0)
    fail('3 effects', jobId, `${tool.name} ran for a call that no committed reply holds`);
  if (tool.policy === 'once' && call.runs > call.committed)
    fail(
      '3 effects',
      jobId,
      `a once call of ${tool.name} ran ${call.runs} times for ${call.committed} calls`,
    );
  if (call.keys.size > call.committed)
    fail('3 effects', jobId, `${call.keys.size} keys for ${call.committed} calls of ${tool.name}`);
  if (tool.gate?.when(input) === true && call.keys.size > call.approved)
    fail(
      '8 approvals',
      jobId,
      `${tool.name} ran for ${call.keys.size} calls, ${call.approved} were approved`,
    );
  if (watch.head?.tenant !== tenant) fail('9 isolation', jobId, `a tool was told of tenant ${tenant}`);
  if (watch.head?.state === 's' && watch.head.fence === process.fence)
    fail('6 final is final', jobId, `${tool.name} ran after its job had succeeded`);
}

/** The provider bills: it must be charged already. `unseen`: the caller is not told what it used. */
export function billed(court: Court, jobId: string, serial: number, microUsd: number, unseen: boolean): void {
  const watch = watchOf(court.jobs, jobId);
  watch.billed += microUsd;
  if (!unseen) court.costs.set(`req_${serial}`, microUsd);
  const charged = watch.head?.charged ?? 0;
  if (watch.billed > charged)
    court.fail('1 money', jobId, `the provider billed ${watch.billed}, only ${charged} are charged`);
  if (watch.batchId !== undefined) poolHolds(court, watch.batchId);
}
