import type { ComponentChildren } from 'preact';
import { api } from '../api.ts';
import { type JobRow, jobRow } from '../model/job-row.ts';
import { overviewOf } from '../model/overview.ts';
import { spentOf } from '../model/spent.ts';
import { JobColumns, JobLine } from '../parts/job-line.tsx';
import { Loading, Page } from '../parts/page.tsx';
import { usePoll } from '../poll.ts';
import { PAGE } from '../read-all.ts';
import { pageOf } from '../settings.ts';
import { BatchTable } from './batches.tsx';
import { FirstBatch } from './first-batch.tsx';
import { ApprovalLines } from './overview-approvals.tsx';
import { Tiles } from './overview-tiles.tsx';

const SHOWN = 6;
/** Of what presses most, so that all of it begins on the first screen. */
const FIRST = 4;
/** More than are shown: what they have spent is never late. */
const BATCHES = 20;

/** The newest jobs and the sums at the same time, so that none is in neither. */
async function newest() {
  const [jobs, counted] = await Promise.all([
    api().jobs({ limit: PAGE }),
    api().costs('tenant', { limit: PAGE }),
  ]);
  return { jobs: jobs.items.map(jobRow), more: jobs.cursor !== null, counted };
}

/** What is it doing, what does it cost, why did it stop, what needs me: in one screen. */
export function OverviewPage() {
  const read = usePoll('overview-jobs', newest).data;
  const waiting = usePoll('overview-approvals', () => api().approvals({ limit: 50 })).data;
  const batches = usePoll('overview-batches', () => api().batches({ limit: BATCHES })).data?.items;
  const health = usePoll('overview-health', () => api().health(), 5_000).data;
  if (read === undefined) {
    return (
      <Page title="Overview" name="Overview">
        <Loading />
      </Page>
    );
  }
  const { jobs, more, counted } = read;
  const seen = overviewOf(jobs, waiting?.items ?? [], health);
  const spent = spentOf({ jobs, more, counted, batches: batches ?? [] });
  return (
    <Page title={seen.headline} name="Overview">
      {health?.stopped === true && (
        <p class="warn-panel">
          <strong>Everything is stopped.</strong> Nothing is admitted or called until it is started again on
          the <a href={pageOf.health}>health page</a>.
        </p>
      )}
      <Tiles {...{ seen, spent, waiting, health, more }} />
      {jobs.length === 0 && <FirstBatch />}
      <ApprovalLines approvals={(waiting?.items ?? []).slice(0, FIRST)} many={waiting?.items.length ?? 0} />
      <Lines
        id="stopped"
        title="Why jobs stopped"
        rows={seen.endedBadly.slice(0, FIRST)}
        all={<More href={`${pageOf.jobs}?status=stopped`} what="All that stopped" />}
      />
      {batches !== undefined && batches.length > 0 && (
        <section aria-labelledby="batches">
          <h2 id="batches">Batches</h2>
          <BatchTable batches={batches.slice(0, SHOWN)} />
          {batches.length > SHOWN && <More href={pageOf.batches} what="All batches" />}
        </section>
      )}
      <Lines
        id="recent"
        title={seen.endedBadly.length > 0 ? 'Newest other jobs' : 'Newest jobs'}
        rows={seen.others.slice(0, SHOWN)}
        all={<More href={pageOf.jobs} what="All jobs" />}
      />
    </Page>
  );
}

function More({ href, what }: { readonly href: string; readonly what: string }) {
  return (
    <p>
      <a href={href}>{what}</a>
    </p>
  );
}

interface LinesProps {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly JobRow[];
  /** The way to those that are not shown. */
  readonly all: ComponentChildren;
}

function Lines({ id, title, rows, all }: LinesProps) {
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <table class="list jobs">
        <JobColumns />
        <tbody>
          {rows.map((row) => (
            <JobLine key={row.id} row={row} />
          ))}
        </tbody>
      </table>
      {all}
    </section>
  );
}
