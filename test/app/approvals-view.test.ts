import { describe, expect, it } from 'vitest';
import { judge } from '../../src/app/approve.ts';
import { cancel } from '../../src/app/cancel.ts';
import { deliverOne, drive, openCase, TENANT } from '../field/run-case.ts';
import { runFor } from '../support/drive.ts';

const open = () => openCase({ script: 'gate_and_free' });
type Case = Awaited<ReturnType<typeof open>>;

const shown = async ({ view }: Case) =>
  (await view()).approvals.map(({ tool, status }) => ({ tool, status }));

async function waiting(): Promise<{ readonly opened: Case; readonly callId: string }> {
  const opened = await open();
  await deliverOne(opened);
  const [approval] = (await opened.view()).approvals;
  expect(approval).toMatchObject({ status: 'pending' });
  return { opened, callId: String(approval?.['callId']) };
}

describe('the approvals of a job', () => {
  it.each([
    ['approve', 'approved'],
    ['deny', 'denied'],
  ] as const)('still show what was decided after the job has ended: %s', async (decision, status) => {
    const { opened, callId } = await waiting();
    const before = (await opened.view()).approvals[0];
    await judge(opened.world, { tenant: TENANT, jobId: opened.jobId, callId, decision });
    expect(await shown(opened)).toEqual([{ tool: 'issue_refund', status }]);
    const ended = await drive(opened);
    expect(ended.finishedAt).not.toBeNull();
    expect(ended.approvals).toHaveLength(1);
    const { callId: id, input, inputHash } = before ?? {};
    expect(ended.approvals[0]).toMatchObject({ callId: id, input, inputHash, status });
  });

  it('still show what nobody decided in time', async () => {
    const { opened } = await waiting();
    await opened.world.clock.advance(72 * 3_600_000);
    await runFor(opened.world, 5);
    await drive(opened);
    expect(await shown(opened)).toEqual([{ tool: 'issue_refund', status: 'expired' }]);
  });

  it('are pending no more once the job was cancelled', async () => {
    const { opened } = await waiting();
    await cancel(opened.world, TENANT, opened.jobId);
    expect(await shown(opened)).toEqual([{ tool: 'issue_refund', status: 'expired' }]);
  });
});
