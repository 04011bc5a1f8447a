import { api } from '../api.ts';
import { count, usd } from '../model/figures.ts';
import { healthOf } from '../model/health.ts';
import { type JobRow, jobRow } from '../model/job-row.ts';
import { overviewOf } from '../model/overview.ts';
import { spentOf } from '../model/spent.ts';
import { Figure } from '../parts/figure.tsx';
import { JobColumns, JobLine } from '../parts/job-line.tsx';
import { Loading, Page } from '../parts/page.tsx';
import { usePoll } from '../poll.ts';
import { PAGE } from '../read-all.ts';
import { pageOf } from '../settings.ts';
import { BatchTable } from './batches.tsx';
import { ApprovalLines } from './overview-approvals.tsx';

const SHOWN = 6;
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
  const { well, why } = healthOf(health);
  const spent = spentOf({ jobs, more, counted, batches: batches ?? [] });
  return (
    <Page title={seen.headline} name="Overview">
      {health?.stopped === true && (
        <p class="warn-panel">
          <strong>Everything is stopped.</strong> Nothing is admitted or called until it is started again on
          the <a href={pageOf.health}>health page</a>.
        </p>
      )}
      <dl class="totals">
        <Figure name="Doing" value={count(seen.live)} more={seen.doing} />
        <Figure
          name="Needs a person"
          value={`${count(waiting?.items.length ?? 0)}${waiting?.cursor ? '+' : ''}`}
          more={seen.waiting}
          tone={(waiting?.items.length ?? 0) > 0 ? 'warn' : undefined}
        />
        <Figure name="Spent" value={usd(spent.usd)} more={spent.covers} />
        <Figure
          name="Health"
          value={health === undefined ? '…' : health.stopped ? 'stopped' : well ? 'well' : 'look'}
          tone={well ? undefined : 'bad'}
          more={why}
        />
      </dl>
      <ApprovalLines approvals={(waiting?.items ?? []).slice(0, SHOWN)} many={waiting?.items.length ?? 0} />
      {batches !== undefined && batches.length > 0 && (
        <section aria-labelledby="batches">
          <h2 id="batches">Batches</h2>
          <BatchTable batches={batches.slice(0, SHOWN)} />
        </section>
      )}
      <Lines id="stopped" title="Why jobs stopped" rows={seen.endedBadly.slice(0, SHOWN)} />
      <Lines id="recent" title="Newest jobs" rows={jobs.slice(0, SHOWN)} />
      <p>
        <a href={pageOf.jobs}>All jobs</a>
      </p>
    </Page>
  );
}

function Lines({
  id,
  title,
  rows,
}: {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly JobRow[];
}) {
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
    </section>
  );
}
