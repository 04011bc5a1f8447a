import { countOf, usd } from '../model/figures.ts';
import { binsOf } from '../model/histogram.ts';
import { dearest, endings, type ResultRow } from '../model/results.ts';
import { words } from '../model/text.ts';
import { Histogram } from '../parts/histogram.tsx';
import { Lengths } from '../parts/lengths.tsx';
import { Text } from '../parts/text.tsx';
import { pageOf } from '../settings.ts';

const SHOWN = 10;

interface BatchCostsProps {
  readonly rows: readonly ResultRow[];
  readonly cut: boolean;
}

/** How the money of a batch spreads over its rows, and which rows took most of it. */
export function BatchCosts({ rows, cut }: BatchCostsProps) {
  const bins = binsOf(rows.filter(({ jobId }) => jobId !== null).map(({ spentUsd }) => spentUsd));
  return (
    <>
      <div class="sides">
        <section aria-labelledby="spread">
          <h2 id="spread">Cost of a row</h2>
          <Histogram bins={bins} name={usd} of={(count) => countOf(count, 'row')} />
        </section>
        <section aria-labelledby="ends">
          <h2 id="ends">How rows ended</h2>
          <Lengths
            lines={endings(rows).map(({ name, count }) => ({ name: words(name), value: count }))}
            text={String}
          />
        </section>
      </div>
      <section aria-labelledby="dearest">
        <h2 id="dearest">Dearest rows</h2>
        <table class="lines">
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">Ended</th>
              <th scope="col" class="number">
                Steps
              </th>
              <th scope="col" class="number">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {dearest(rows, SHOWN).map(({ id, jobId, status, reason, steps, spentUsd }) => (
              <tr key={id}>
                <th scope="row">
                  <a href={pageOf.job(jobId ?? '')}>
                    <Text>{id}</Text>
                  </a>
                </th>
                <td>{words(reason ?? status)}</td>
                <td class="number">{steps}</td>
                <td class="number">{usd(spentUsd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {cut && (
        <p class="soft">These figures are of the first {countOf(rows.length, 'row')}; the export has all.</p>
      )}
    </>
  );
}
