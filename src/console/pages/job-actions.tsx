import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Job } from '../../client.ts';
import { api } from '../api.ts';
import { type JobAction, jobActions } from '../model/actions.ts';
import { useDoing } from '../notice.ts';
import { Confirm } from '../parts/dialog.tsx';
import { pageOf } from '../settings.ts';
import { ExtendDialog, FollowUpDialog, RetryDialog } from './job-dialogs.tsx';

const verbs: Readonly<Record<JobAction, string>> = {
  cancel: 'Cancel',
  extend: 'Extend',
  retry: 'Retry',
  'follow-up': 'Follow up',
  delete: 'Delete',
};

interface ActionsProps {
  readonly job: Job;
  readonly onDone: () => void;
}

/** What can be done with a job as it stands; each is asked about before it is done. */
export function JobActions({ job, onDone }: ActionsProps) {
  const { id } = job;
  const { route } = useLocation();
  const { busy, perform } = useDoing();
  const [asking, setAsking] = useState<JobAction | undefined>(undefined);
  const close = (): void => setAsking(undefined);
  const act = async (work: () => Promise<unknown>, done: string): Promise<boolean> => {
    const ok = await perform(work, done);
    if (ok) close();
    onDone();
    return ok;
  };
  const remove = async (): Promise<void> => {
    if (await act(() => api().deleteJob(id), 'Deleted: its cost and its end are kept.')) route(pageOf.jobs);
  };
  const dialogs = { busy, onClose: close };
  return (
    <div class="buttons">
      {jobActions(job).map((action) => (
        <button key={action} type="button" onClick={() => setAsking(action)}>
          {verbs[action]}
        </button>
      ))}
      {asking === 'cancel' && (
        <Confirm
          {...dialogs}
          title="Cancel this job?"
          verb="Cancel the job"
          danger
          onYes={() => void act(() => api().cancel(id), 'Cancelled.')}
        >
          <p>A call that is under way ends first. What was done and paid so far is kept.</p>
        </Confirm>
      )}
      {asking === 'delete' && (
        <Confirm
          {...dialogs}
          title="Delete this job?"
          verb="Delete the job"
          danger
          onYes={() => void remove()}
        >
          <p>Its transcript, input and results are gone for ever; its id, cost and stop reason are kept.</p>
        </Confirm>
      )}
      {asking === 'extend' && (
        <ExtendDialog
          {...dialogs}
          job={job}
          onYes={(more) => void act(() => api().extend(id, more), 'Extended: it goes on.')}
        />
      )}
      {asking === 'retry' && (
        <RetryDialog
          {...dialogs}
          job={job}
          onYes={(from) => void act(() => api().retry(id, from), 'It goes on.')}
        />
      )}
      {asking === 'follow-up' && (
        <FollowUpDialog
          {...dialogs}
          onYes={(content, idempotencyKey) =>
            void act(() => api().followUp(id, content, { idempotencyKey }), 'Asked: it goes on.')
          }
        />
      )}
    </div>
  );
}
