import { useRoute } from 'preact-iso';
import type { Batch, JobStatus } from '../../client.ts';
import { api } from '../api.ts';
import { countParts, moneyParts } from '../model/bar.ts';
import { endedRows } from '../model/batch.ts';
import { count, countOf, dateTime, percent, span, usd } from '../model/figures.ts';
import { queryOf } from '../model/filters.ts';
import { now } from '../now.ts';
import { Bar, Legend } from '../parts/bar.tsx';
import { Figure } from '../parts/figure.tsx';
import { Loading, Page, Refused } from '../parts/page.tsx';
import { BatchStatus } from '../parts/status.tsx';
import { Text } from '../parts/text.tsx';
import { usePoll } from '../poll.ts';
import { pageOf } from '../settings.ts';
import { useResults } from '../use-results.ts';
import { BatchActions } from './batch-actions.tsx';
import { BatchCosts } from './batch-costs.tsx';

export function BatchPage() {
  const { params } = useRoute();
  const id = params['id'] ?? '';
  const { data: batch, refused, refresh } = usePoll(`batch ${id}`, () => api().batch(id));
  const eyebrow = <a href={pageOf.batches}>Batches</a>;
  if (batch === undefined) {
    return (
      <Page title={id} name={id} eyebrow={eyebrow}>
        {refused === undefined ? <Loading /> : <Refused why={refused} />}
      </Page>
    );
  }
  return (
    <Page title={headline(batch)} name={id} eyebrow={eyebrow}>
      <p class="facts soft">
        <BatchStatus batch={batch} />
        <code>{id}</code>
        <span>
          agent <Text>{batch.agent}</Text>
        </span>
        <span>begun {dateTime(batch.createdAt)}</span>
        <a href={`${pageOf.jobs}?batch=${encodeURIComponent(id)}`}>Its jobs</a>
      </p>
      {batch.stop !== null && batch.stop.reason !== 'completed' && (
        <p class="warn-panel">{batch.stop.message}</p>
      )}
      <BatchActions batch={batch} onDone={refresh} />
      <BatchProgress batch={batch} />
      <Results batch={batch} />
    </Page>
  );
}

function headline(batch: Batch): string {
  const ended = endedRows(batch);
  return `${count(ended)} of ${countOf(batch.rows, 'row')} ended, for ${usd(batch.cost.spentUsd)}`;
}

const listOf = (batch: string, status: JobStatus): string => `${pageOf.jobs}${queryOf({ status, batch })}`;

function BatchProgress({ batch }: { readonly batch: Batch }) {
  const { counts, cost, rows } = batch;
  const ended = endedRows(batch);
  const money = moneyParts(cost);
  const { budgetUsd, forecastUsd, spentUsd } = cost;
  const pool = budgetUsd ?? Math.max(spentUsd, forecastUsd ?? 0);
  return (
    <>
      <section aria-labelledby="progress">
        <h2 id="progress">Progress</h2>
        <Bar
          tall
          parts={countParts(counts)}
          all={rows}
          label={`${percent(ended, rows)} of ${count(rows)} rows ended`}
        />
        <Legend parts={countParts(counts)} text={count} listOf={(status) => listOf(batch.id, status)} />
      </section>
      <section aria-labelledby="pool">
        <h2 id="pool">Spend</h2>
        <Bar tall parts={money} all={pool} label={`${usd(spentUsd)} of ${usd(pool)} spent`} />
        <Legend parts={money} text={usd} />
        <dl class="totals">
          <Figure
            name="Spent"
            value={usd(spentUsd)}
            more={budgetUsd === null ? 'no pool is set' : `of ${usd(budgetUsd)}`}
          />
          <Figure name="Reserved" value={usd(cost.reservedUsd)} more="for jobs that are open" />
          <Figure
            name="Forecast"
            value={forecastUsd === null ? '—' : usd(forecastUsd)}
            more={forecastWords(batch)}
            tone={forecastUsd !== null && budgetUsd !== null && forecastUsd > budgetUsd ? 'bad' : undefined}
          />
          <Figure
            name="Per row"
            value={ended === 0 ? '—' : usd(spentUsd / ended)}
            more="of those that ended"
          />
        </dl>
      </section>
    </>
  );
}

function forecastWords({ counts, cost, forecastFinishedAt, finishedAt }: Batch): string {
  if (finishedAt !== null) return `ended ${dateTime(finishedAt)}`;
  if (cost.forecastUsd === null) return 'once a row has ended';
  const over = cost.budgetUsd !== null && cost.forecastUsd > cost.budgetUsd ? 'over the pool, ' : '';
  if (counts.queued + counts.running === 0) return `${over}once the approvals are decided`;
  if (forecastFinishedAt === null) return `${over}for all rows`;
  return `${over}done in about ${span(Date.parse(forecastFinishedAt) - now.value)}`;
}

function Results({ batch }: { readonly batch: Batch }) {
  const { rows, cut } = useResults(batch.id, endedRows(batch));
  if (rows.length === 0) return null;
  return <BatchCosts rows={rows} cut={cut} />;
}
