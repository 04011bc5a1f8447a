import { useLocation } from 'preact-iso';
import { api } from '../api.ts';
import { count, countOf, usd } from '../model/figures.ts';
import { uncountedText } from '../model/uncounted.ts';
import { Bar } from '../parts/bar.tsx';
import { Loading, Page, Refused } from '../parts/page.tsx';
import { Text } from '../parts/text.tsx';
import { usePoll } from '../poll.ts';
import { PAGE } from '../read-all.ts';
import { pageOf } from '../settings.ts';

const keys = ['agent', 'tenant', 'day', 'batch'] as const;
type By = (typeof keys)[number];

export function CostsPage() {
  const { query } = useLocation();
  const by = keys.find((key) => key === query['by']) ?? 'agent';
  const { data, refused } = usePoll(`costs ${by}`, () => api().costs(by, { limit: PAGE }), 5_000);
  return (
    <Page title="Costs" name="Costs">
      <nav class="tabs" aria-label="Costs by">
        {keys.map((key) => (
          <a key={key} href={`${pageOf.costs}?by=${key}`} aria-current={key === by ? 'page' : undefined}>
            by {key}
          </a>
        ))}
      </nav>
      {refused !== undefined && <Refused why={refused} />}
      {data === undefined && refused === undefined && <Loading />}
      {data?.items.length === 0 && <p class="panel">Nothing is counted yet.</p>}
      {data?.uncounted !== undefined && (
        <p class="panel">Of the newest jobs {uncountedText(data.uncounted)}.</p>
      )}
      {data !== undefined && data.items.length > 0 && <CostTable by={by} rows={data.items} />}
      {data?.cursor && <p class="soft small">These are the first {countOf(PAGE, 'line')}.</p>}
      <p class="soft small">
        Jobs are counted some minutes after they end. Unsettled money is part of what is spent.
      </p>
    </Page>
  );
}

interface Row {
  readonly key: string;
  readonly jobs: number;
  readonly steps: number;
  readonly spentUsd: number;
  readonly unsettledUsd: number;
}

function CostTable({ by, rows }: { readonly by: By; readonly rows: readonly Row[] }) {
  const most = rows.reduce((all, { spentUsd }) => Math.max(all, spentUsd), 0);
  return (
    <table class="list costs">
      <thead>
        <tr>
          <th scope="col">{by}</th>
          <th scope="col" class="col-bar">
            <span class="unseen">Compared</span>
          </th>
          <th scope="col" class="number">
            Spent
          </th>
          <th scope="col" class="number col-steps">
            Unsettled
          </th>
          <th scope="col" class="number col-steps">
            Jobs
          </th>
          <th scope="col" class="number col-steps">
            Per job
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <CostLine key={row.key} by={by} row={row} most={most} />
        ))}
      </tbody>
    </table>
  );
}

function CostLine({ by, row, most }: { readonly by: By; readonly row: Row; readonly most: number }) {
  const { key, jobs, spentUsd, unsettledUsd } = row;
  const parts = [
    { tone: 'spent', name: 'settled', value: spentUsd - unsettledUsd },
    { tone: 'unsettled', name: 'unsettled', value: unsettledUsd },
  ] as const;
  return (
    <tr>
      <th scope="row">
        {by === 'batch' ? (
          <a href={pageOf.batch(key)}>{key}</a>
        ) : by === 'agent' ? (
          <AgentLink name={key} />
        ) : (
          key
        )}
      </th>
      <td class="col-bar">
        <Bar
          parts={parts}
          all={most}
          label={`${usd(spentUsd)} spent, ${usd(unsettledUsd)} of it unsettled`}
        />
      </td>
      <td class="number">{usd(spentUsd)}</td>
      <td class="number col-steps">{usd(unsettledUsd)}</td>
      <td class="number col-steps">{count(jobs)}</td>
      <td class="number col-steps">{jobs === 0 ? '—' : usd(spentUsd / jobs)}</td>
    </tr>
  );
}

function AgentLink({ name }: { readonly name: string }) {
  return (
    <a href={`${pageOf.jobs}?agent=${encodeURIComponent(name)}`}>
      <Text>{name}</Text>
    </a>
  );
}
