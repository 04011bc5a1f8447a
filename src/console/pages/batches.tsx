import type { Batch } from '../../client.ts';
import { api } from '../api.ts';
import { countParts } from '../model/bar.ts';
import { endedRows } from '../model/batch.ts';
import { ago, count, dateTime, percent } from '../model/figures.ts';
import { now } from '../now.ts';
import { Bar } from '../parts/bar.tsx';
import { SpentOf } from '../parts/money.tsx';
import { Loading, Page } from '../parts/page.tsx';
import { BatchStatus } from '../parts/status.tsx';
import { Text } from '../parts/text.tsx';
import { usePoll } from '../poll.ts';
import { pageOf } from '../settings.ts';
import { FirstBatch } from './first-batch.tsx';

const SHOWN = 100;

export function BatchesPage() {
  const { data } = usePoll('batches', () => api().batches({ limit: SHOWN }));
  const batches = data?.items;
  return (
    <Page title="Batches" name="Batches">
      {batches === undefined && <Loading />}
      {batches?.length === 0 && (
        <>
          <p class="panel">
            There is no batch yet. <code>POST /batches</code> takes rows or a file of tickets.
          </p>
          <FirstBatch />
        </>
      )}
      {batches !== undefined && batches.length > 0 && <BatchTable batches={batches} />}
      {data?.cursor && <p class="soft small">These are the newest {SHOWN}.</p>}
    </Page>
  );
}

export function BatchTable({ batches }: { readonly batches: readonly Batch[] }) {
  return (
    <table class="list batches">
      <thead>
        <tr>
          <th scope="col" class="col-status">
            Status
          </th>
          <th scope="col">Batch</th>
          <th scope="col" class="col-progress">
            Progress
          </th>
          <th scope="col" class="col-cost">
            Spent of pool
          </th>
          <th scope="col" class="number col-age">
            Age
          </th>
        </tr>
      </thead>
      <tbody>
        {batches.map((batch) => (
          <BatchLine key={batch.id} batch={batch} />
        ))}
      </tbody>
    </table>
  );
}

function Progress({ batch }: { readonly batch: Batch }) {
  const { rows, counts } = batch;
  const label = `${percent(endedRows(batch), rows)} of ${count(rows)} rows ended`;
  return <Bar parts={countParts(counts)} all={rows} label={label} />;
}

function BatchLine({ batch }: { readonly batch: Batch }) {
  const { id, agent, rows, cost, createdAt } = batch;
  const ended = endedRows(batch);
  return (
    <tr>
      <td class="col-status">
        <BatchStatus batch={batch} />
      </td>
      <th scope="row" class="col-job">
        <a class="stretched" href={pageOf.batch(id)}>
          {id}
        </a>
        <span class="soft">
          {' '}
          <Text>{agent}</Text>
        </span>
        <span class="brief">
          <BatchStatus batch={batch} />
          <span class="soft">
            {' '}
            · {count(ended)}/{count(rows)}
          </span>
          <Progress batch={batch} />
        </span>
      </th>
      <td class="col-progress">
        <span class="spent">
          <span class="spent-figure">
            {count(ended)} <span class="soft">/ {count(rows)}</span>
          </span>
          <Progress batch={batch} />
        </span>
      </td>
      <td class="col-cost">
        <SpentOf cost={cost} most={cost.budgetUsd} />
      </td>
      <td class="number col-age">
        <time dateTime={createdAt} title={dateTime(createdAt)}>
          {ago(createdAt, now.value)}
        </time>
      </td>
    </tr>
  );
}
