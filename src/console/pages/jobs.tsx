import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type JobList, useJobList } from '../job-list.ts';
import { useKeys } from '../keys.ts';
import { count, countOf } from '../model/figures.ts';
import { filterOf } from '../model/filters.ts';
import { isLocal, jobIdIn, type LocalFilter, localFilterOf } from '../model/local-filter.ts';
import { GapRow } from '../parts/gap.tsx';
import { JobColumns, JobLine, ROW_PX } from '../parts/job-line.tsx';
import { Loading, Page, Refused } from '../parts/page.tsx';
import { useWindowRows } from '../parts/use-rows.ts';
import { pageOf } from '../settings.ts';
import { FirstBatch } from './first-batch.tsx';
import { JobFilters } from './job-filters.tsx';

export function JobsPage() {
  const { query } = useLocation();
  const filter = filterOf(query);
  const local = localFilterOf(query);
  const list = useJobList(filter, local);
  return (
    <Page title="Jobs" name="Jobs">
      <JobFilters filter={filter} local={local} />
      {list.refused === undefined ? <JobTable list={list} local={local} /> : <Refused why={list.refused} />}
    </Page>
  );
}

interface TableProps {
  readonly list: JobList;
  readonly local: LocalFilter;
}

function JobTable({ list, local }: TableProps) {
  const { rows, loading, paused, complete } = list;
  const { route } = useLocation();
  const [chosen, setChosen] = useState(-1);
  const virtual = useWindowRows<HTMLTableSectionElement>({ count: rows.length, rowPx: ROW_PX });
  const [first, last] = [virtual.items[0]?.index ?? 0, virtual.items.at(-1)?.index ?? 0];
  useEffect(() => {
    list.see(first, last);
    if (last >= rows.length - 20 && !loading && !paused && !complete && list.looked > 0) list.more();
  });
  const go = (by: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, chosen + by));
    setChosen(next);
    virtual.scrollTo(next);
  };
  const open = (): void => {
    const row = rows[chosen];
    if (row !== undefined) route(pageOf.job(row.id));
  };
  useKeys({ j: () => go(1), k: () => go(-1), ...(chosen < 0 ? {} : { Enter: open }) });
  if (rows.length === 0 && complete) return <NoJob list={list} local={local} />;
  return (
    <>
      <table class="list jobs" aria-rowcount={complete ? rows.length + 1 : -1}>
        <JobColumns />
        <tbody ref={virtual.list}>
          <GapRow px={virtual.beforePx} />
          {virtual.items.map(({ index }) => {
            const row = rows[index];
            return row && <JobLine key={row.id} row={row} index={index} chosen={index === chosen} />;
          })}
          <GapRow px={virtual.afterPx} />
        </tbody>
      </table>
      {loading && <Loading />}
      <Ending list={list} local={local} />
    </>
  );
}

/** What was looked through, and the way on where that is not all. */
function Ending({ list, local }: TableProps) {
  const { rows, looked, loading, paused, complete, more } = list;
  const found = isLocal(local) ? `${count(rows.length)} found among ${countOf(looked, 'job')}` : undefined;
  return (
    <>
      {paused && (
        <p>
          {found === undefined ? 'Nothing more was found among the jobs looked at' : found}.{' '}
          <button type="button" onClick={more}>
            Search further back
          </button>
        </p>
      )}
      {!paused && !(loading && rows.length === 0) && (
        <p class="soft small">
          {found ?? `${count(rows.length)} loaded`}
          {complete ? ', which is all' : '; scroll for more'}.
        </p>
      )}
      <ById local={local} />
    </>
  );
}

function NoJob({ list, local }: TableProps) {
  return (
    <>
      <p class="panel">
        There is no such job
        {isLocal(local) && list.looked > 0 && ` among the ${countOf(list.looked, 'job')} looked at`}.
      </p>
      <ById local={local} />
      {!isLocal(local) && <FirstBatch />}
    </>
  );
}

/** A job whose id is known is opened, wherever in the list it stands. */
function ById({ local }: { readonly local: LocalFilter }) {
  const id = jobIdIn(local);
  return id === undefined ? null : (
    <p>
      <a href={pageOf.job(id)}>Open {id}</a>
    </p>
  );
}
