import { useState } from 'preact/hooks';
import type { Job } from '../../client.ts';
import { api } from '../api.ts';
import { argumentsOf, countdown } from '../model/approvals.ts';
import { useDoing } from '../notice.ts';
import { now } from '../now.ts';
import { Pairs } from '../parts/pairs.tsx';
import { Text } from '../parts/text.tsx';
import { DecideDialog, type Verdict } from './decide-dialog.tsx';

interface ApprovalsProps {
  readonly job: Job;
  readonly onDone: () => void;
}

type Gated = Job['approvals'][number];

/** The calls of this job that a person decides, or has decided. */
export function JobApprovals({ job, onDone }: ApprovalsProps) {
  const { perform } = useDoing();
  const [asking, setAsking] = useState<{ readonly verdict: Verdict; readonly approval: Gated } | undefined>(
    undefined,
  );
  if (job.approvals.length === 0) return null;
  const decide = async (reason: string): Promise<void> => {
    if (asking === undefined) return;
    const { verdict: decision, approval } = asking;
    const { callId, inputHash } = approval;
    const sent = { decision, inputHash, ...(reason === '' ? {} : { reason }) };
    await perform(() => api().decide(job.id, callId, sent), decision === 'approve' ? 'Approved.' : 'Denied.');
    setAsking(undefined);
    onDone();
  };
  return (
    <section aria-labelledby="approvals">
      <h2 id="approvals">Approvals</h2>
      <ul class="inbox">
        {job.approvals.map((approval) => (
          <GatedCall
            key={approval.callId}
            approval={approval}
            onAsk={(verdict) => setAsking({ verdict, approval })}
          />
        ))}
      </ul>
      {asking !== undefined && (
        <DecideDialog {...asking} onDecide={decide} onClose={() => setAsking(undefined)} />
      )}
    </section>
  );
}

function GatedCall({
  approval,
  onAsk,
}: {
  readonly approval: Gated;
  readonly onAsk: (verdict: Verdict) => void;
}) {
  const { tool, status, input, expiresAt } = approval;
  const pending = status === 'pending';
  const left = countdown(expiresAt, now.value);
  return (
    <li class={pending ? 'ask' : 'ask settled'}>
      <div class="ask-head">
        <h3>
          <Text>{tool}</Text>
        </h3>
        <p class={pending && left.urgent ? 'warn' : 'soft'}>{pending ? left.text : status}</p>
      </div>
      <Pairs pairs={argumentsOf(input)} />
      {pending && (
        <div class="buttons">
          <button type="button" class="primary" onClick={() => onAsk('approve')}>
            Approve
          </button>
          <button type="button" class="danger" onClick={() => onAsk('deny')}>
            Deny
          </button>
        </div>
      )}
    </li>
  );
}
