import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useJobList } from '../job-list.ts';
import { useKeys } from '../keys.ts';
import { count } from '../model/figures.ts';
import { filterOf } from '../model/filters.ts';
import { GapRow } from '../parts/gap.tsx';
import { JobColumns, JobLine, ROW_PX } from '../parts/job-line.tsx';
import { Loading, Page, Refused } from '../parts/page.tsx';
import { useWindowRows } from '../parts/use-rows.ts';
import { pageOf } from '../settings.ts';
import { JobFilters } from './job-filters.tsx';

export function JobsPage() {
  const { query } = useLocation();
  const filter = filterOf(query);
  const list = useJobList(filter);
  return (
    <Page title="Jobs" name="Jobs">
      <JobFilters filter={filter} />
      {list.refused === undefined ? <JobTable list={list} /> : <Refused why={list.refused} />}
    </Page>
  );
}

function JobTable({ list }: { readonly list: ReturnType<typeof useJobList> }) {
  const { rows, loading, paused, complete } = list;
  const { route } = useLocation();
  const [chosen, setChosen] = useState(-1);
  const virtual = useWindowRows<HTMLTableSectionElement>({ count: rows.length, rowPx: ROW_PX });
  const [first, last] = [virtual.items[0]?.index ?? 0, virtual.items.at(-1)?.index ?? 0];
  useEffect(() => {
    list.see(first, last);
    if (last >= rows.length - 20 && !loading && !paused && !complete && rows.length > 0) list.more();
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
  if (rows.length === 0 && complete) return <p class="panel">There is no such job.</p>;
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
      {paused && (
        <p>
          Nothing more was found among the jobs looked at.{' '}
          <button type="button" onClick={list.more}>
            Search further back
          </button>
        </p>
      )}
      <p class="soft small">
        {count(rows.length)} loaded{complete ? ', which is all' : '; scroll for more'}.
      </p>
    </>
  );
}
