import { useEffect, useMemo } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { api } from '../api.ts';
import { isLive } from '../model/actions.ts';
import { ledgerOf } from '../model/ledger.ts';
import { timelineOf } from '../model/timeline.ts';
import { Loading, Page, Refused } from '../parts/page.tsx';
import { EVERY_MS, usePoll } from '../poll.ts';
import { pageOf } from '../settings.ts';
import { useSteps } from '../use-steps.ts';
import { JobActions } from './job-actions.tsx';
import { JobApprovals } from './job-approvals.tsx';
import { JobHead, jobTitle } from './job-head.tsx';
import { JobLedger } from './job-ledger.tsx';
import { JobTimeline } from './job-timeline.tsx';
import { Replay } from './replay.tsx';
import { Transcript } from './transcript.tsx';

/** One job: how it stands, its money line by line, where its time went, what was said, and what can be done. */
export function JobPage() {
  const { params } = useRoute();
  const id = params['id'] ?? '';
  const { data: job, refused, refresh } = usePoll(`job ${id}`, () => api().job(id), EVERY_MS);
  const { steps, read } = useSteps(job);
  const ledger = useMemo(() => job && ledgerOf(job, steps), [job, steps]);
  const madeAt = job?.createdAt ?? '';
  const timeline = useMemo(() => timelineOf(steps, madeAt), [steps, madeAt]);
  useDeepLink(read);
  const eyebrow = <a href={pageOf.jobs}>Jobs</a>;
  if (job === undefined || ledger === undefined) {
    return (
      <Page title={id} name={id} eyebrow={eyebrow}>
        {refused === undefined ? <Loading /> : <Refused why={refused} />}
      </Page>
    );
  }
  return (
    <Page title={jobTitle(job)} name={id} eyebrow={eyebrow}>
      <JobHead job={job} timeline={timeline} />
      <JobActions job={job} onDone={refresh} />
      <JobApprovals job={job} onDone={refresh} />
      {read && steps.length === 0 && (
        <p class="panel">{isLive(job) ? 'No step yet.' : 'No step was taken.'}</p>
      )}
      {steps.length > 0 && <JobLedger ledger={ledger} />}
      {steps.length > 0 && <JobTimeline timeline={timeline} />}
      <Transcript job={job} steps={steps} />
      <Replay job={job} steps={steps} />
    </Page>
  );
}

/** A link to a part of the page finds it once the part is there. */
function useDeepLink(read: boolean): void {
  useEffect(() => {
    const part = read && location.hash !== '' ? document.getElementById(location.hash.slice(1)) : null;
    part?.scrollIntoView();
  }, [read]);
}
