import { useState } from 'preact/hooks';
import type { Approval } from '../../client.ts';
import { argumentsOf } from '../model/approvals.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Pairs } from '../parts/pairs.tsx';

export type Verdict = 'approve' | 'deny';

interface DecideProps {
  readonly verdict: Verdict;
  readonly approval: Pick<Approval, 'tool' | 'input'>;
  readonly onDecide: (reason: string) => Promise<void>;
  readonly onClose: () => void;
}

const MAX_REASON = 500;

/** The arguments once more, and why: a decision holds for ever. */
export function DecideDialog({ verdict, approval, onDecide, onClose }: DecideProps) {
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const approve = verdict === 'approve';
  const yes = async (): Promise<void> => {
    setBusy(true);
    await onDecide(reason.trim());
    setBusy(false);
  };
  return (
    <Confirm
      title={`${approve ? 'Approve' : 'Deny'} ${approval.tool}?`}
      verb={approve ? 'Approve' : 'Deny'}
      danger={!approve}
      busy={busy}
      onYes={() => void yes()}
      onClose={onClose}
    >
      <Pairs pairs={argumentsOf(approval.input)} />
      <Field
        label={approve ? 'Reason (optional)' : 'Reason (the model reads it)'}
        value={reason}
        onInput={setReason}
        maxLength={MAX_REASON}
        long
      />
    </Confirm>
  );
}
