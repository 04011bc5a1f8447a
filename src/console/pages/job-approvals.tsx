import { useState } from 'preact/hooks';
import type { Job } from '../../client.ts';
import { api } from '../api.ts';
import { argumentsOf, countdown } from '../model/approvals.ts';
import { oneLine, ticketOf } from '../model/text.ts';
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
        <DecideDialog
          {...asking}
          jobId={job.id}
          ticket={ticketOf(job.metadata)}
          onDecide={decide}
          onClose={() => setAsking(undefined)}
        />
      )}
    </section>
  );
}

interface GatedProps {
  readonly approval: Gated;
  readonly onAsk: (verdict: Verdict) => void;
}

function GatedCall({ approval, onAsk }: GatedProps) {
  const { tool, status, input, expiresAt } = approval;
  const left = countdown(expiresAt, now.value);
  if (status !== 'pending') return <Decided approval={approval} />;
  return (
    <li class="ask">
      <div class="ask-head">
        <h3>
          <Text>{tool}</Text>
        </h3>
        <p class={left.urgent ? 'warn' : 'soft'}>{left.text}</p>
      </div>
      <Pairs pairs={argumentsOf(input)} />
      <div class="buttons">
        <button type="button" class="primary" onClick={() => onAsk('approve')}>
          Approve
        </button>
        <button type="button" class="danger" onClick={() => onAsk('deny')}>
          Deny
        </button>
      </div>
    </li>
  );
}

const LINE = 80;

/** In one line: its arguments stand whole in the transcript. */
function Decided({ approval }: { readonly approval: Gated }) {
  const { tool, status, input } = approval;
  return (
    <li class="facts">
      <b>
        <Text>{tool}</Text>
      </b>
      <span class={status === 'approved' ? 'good' : 'bad'}>{status}</span>
      {argumentsOf(input).map(({ name, text }) => (
        <span key={name} class="soft">
          <Text>{name}</Text> <Text>{oneLine(text, LINE)}</Text>
        </span>
      ))}
    </li>
  );
}
