import type { Job } from '../../client.ts';
import { printedJson } from '../../core/printed.ts';
import { exitCode } from '../exit-codes.ts';
import { hint } from '../hint.ts';
import type { Asking } from './asking.ts';
import { jobLine, valueText, visible } from './shown.ts';

export interface DecideOptions {
  readonly jobId: string;
  readonly callId: string;
  readonly decision: 'approve' | 'deny';
  readonly reason?: string | undefined;
}

/** Decides on a call with exactly the arguments that are printed: if they change meanwhile, the decision is refused. */
export async function decide(
  { client, terminal, json }: Asking,
  { jobId, callId, decision, reason }: DecideOptions,
): Promise<number> {
  const call = (await client.job(jobId)).approvals.find((approval) => approval.callId === callId);
  if (call !== undefined) terminal.err(`${visible(call.tool)} ${valueText(call.input)}\n`);
  const job = await client.decide(jobId, callId, {
    decision,
    ...(reason === undefined ? {} : { reason }),
    ...(call === undefined ? {} : { inputHash: call.inputHash }),
  });
  if (json) terminal.out(`${printedJson(job)}\n`);
  else
    terminal.out(
      `${callId}  ${decision === 'approve' ? 'approved' : 'denied'}\n${jobLine(job, terminal.color)}`,
    );
  return exitCode.done;
}

/** The commands that decide what a job waits for. */
export function waitingCommands({ id, approvals }: Job, endpoint: string): string {
  const open = approvals.filter(({ status }) => status === 'pending');
  return open
    .map(
      ({ callId, tool, input }) =>
        `${visible(tool)} ${valueText(input)}\n${decideWith(id, callId, endpoint)}`,
    )
    .join('');
}

export function decideWith(jobId: string, callId: string, endpoint: string): string {
  const call = `${visible(jobId)} ${visible(callId)}`;
  const [approve, deny] = ['approve', 'deny'].map((word) => hint(`${word} ${call}`, endpoint));
  return `  ${approve}\n  ${deny} --reason '…'\n`;
}
