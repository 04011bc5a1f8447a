import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Job } from '../../client.ts';
import { api } from '../api.ts';
import { hasGoneOn, type JobAction, jobActions } from '../model/actions.ts';
import { useDoing } from '../notice.ts';
import { pageOf } from '../settings.ts';
import { CancelDialog, DeleteDialog, ExtendDialog, FollowUpDialog, RetryDialog } from './job-dialogs.tsx';

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

/** What is asked about, and the job as it was seen then. */
interface Asked {
  readonly action: JobAction;
  readonly job: Job;
}

/** What can be done with a job as it stands; each is asked about before it is done. */
export function JobActions({ job, onDone }: ActionsProps) {
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  return (
    <div class="buttons">
      {jobActions(job).map((action) => (
        <button key={action} type="button" onClick={() => setAsked({ action, job })}>
          {verbs[action]}
        </button>
      ))}
      {asked !== undefined && <Question {...asked} onDone={onDone} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

function Question({ action, job, onDone, onClose }: Asked & ActionsProps & { readonly onClose: () => void }) {
  const { id } = job;
  const { route } = useLocation();
  const { busy, perform } = useDoing();
  const dialog = { busy, onClose };
  const act = async <T,>(work: () => Promise<T>, done: string | ((answer: T) => string)) => {
    const ok = await perform(work, done);
    if (ok) onClose();
    onDone();
    return ok;
  };
  const actOnce = (work: () => Promise<Job>, done: string) =>
    act(
      async () => {
        if (hasGoneOn(job, await api().job(id))) return undefined;
        return work();
      },
      (sent) => (sent === undefined ? 'It has gone on since you asked: nothing more was sent.' : done),
    );
  const remove = async (): Promise<void> => {
    if (await act(() => api().deleteJob(id), 'Deleted: its cost and its end are kept.')) route(pageOf.jobs);
  };
  switch (action) {
    case 'cancel':
      return <CancelDialog {...dialog} onYes={() => void act(() => api().cancel(id), 'Cancelled.')} />;
    case 'delete':
      return <DeleteDialog {...dialog} onYes={() => void remove()} />;
    case 'extend':
      return (
        <ExtendDialog
          {...dialog}
          job={job}
          onYes={(more) => void actOnce(() => api().extend(id, more), 'Extended: it goes on.')}
        />
      );
    case 'retry':
      return (
        <RetryDialog
          {...dialog}
          job={job}
          onYes={(from) => void actOnce(() => api().retry(id, from), 'It goes on.')}
        />
      );
    case 'follow-up':
      return (
        <FollowUpDialog
          {...dialog}
          onYes={(content, idempotencyKey) =>
            void act(() => api().followUp(id, content, { idempotencyKey }), 'Asked: it goes on.')
          }
        />
      );
    default:
      return action satisfies never;
  }
}
