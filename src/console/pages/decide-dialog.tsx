import { useState } from 'preact/hooks';
import type { Approval } from '../../client.ts';
import { argumentsOf } from '../model/approvals.ts';
import { aboutInput } from '../model/text.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Pairs } from '../parts/pairs.tsx';
import { Text } from '../parts/text.tsx';
import { useAsked } from '../use-asked.ts';

export type Verdict = 'approve' | 'deny';

interface DecideProps {
  readonly verdict: Verdict;
  readonly approval: Pick<Approval, 'tool' | 'input'>;
  readonly jobId: string;
  readonly ticket: string | undefined;
  readonly onDecide: (reason: string) => Promise<void>;
  readonly onClose: () => void;
}

const MAX_REASON = 500;
/** Of the ticket, so that what it decides on and the buttons are on one screen. */
const FIRST = 400;

/** The arguments once more, the words of whoever asked, and why: a decision holds for ever. */
export function DecideDialog({ verdict, approval, jobId, ticket, onDecide, onClose }: DecideProps) {
  const asked = useAsked(jobId);
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
      <p class="asked">
        Asked by <Text>{ticket ?? jobId}</Text>
        {asked !== '' && (
          <>
            : <Text>{aboutInput(asked)}</Text>
          </>
        )}
      </p>
      {asked !== '' && <LongText text={asked} first={FIRST} label="the input" />}
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
