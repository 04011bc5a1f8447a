import { exactUsd, percent, usd } from '../model/figures.ts';
import type { Ledger, LedgerLine } from '../model/ledger.ts';
import { Bar } from '../parts/bar.tsx';
import { GapRow } from '../parts/gap.tsx';
import { LedgerChart } from '../parts/ledger-chart.tsx';
import { useElementRows } from '../parts/use-rows.ts';

const ROW_PX = 36;

/** The money of a job line by line: reserved, settled, left unsettled, and what that adds up to under the ceiling. */
export function JobLedger({ ledger }: { readonly ledger: Ledger }) {
  const { lines, ceilingUsd } = ledger;
  const { list, items, beforePx, afterPx } = useElementRows<HTMLElement>({
    count: lines.length,
    rowPx: ROW_PX,
  });
  return (
    <section aria-labelledby="ledger">
      <h2 id="ledger">Ledger</h2>
      <p class="soft">
        Before each request its worst cost is reserved. What it really cost is settled; what nobody can know
        stays charged as unsettled. The sum never passes the ceiling of {usd(ceilingUsd)}.
      </p>
      {lines.length > 1 && <LedgerChart ledger={ledger} />}
      <section class="scroll" ref={list} tabIndex={0} aria-label="Ledger, line by line">
        <table class="ledger" aria-rowcount={lines.length + 1}>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col" class="number">
                Reserved
              </th>
              <th scope="col" class="number">
                Settled
              </th>
              <th scope="col" class="number">
                Unsettled
              </th>
              <th scope="col" class="number">
                Running total
              </th>
              <th scope="col" class="col-bar">
                Of the ceiling
              </th>
            </tr>
          </thead>
          <tbody>
            <GapRow px={beforePx} />
            {items.map(({ index }) => {
              const line = lines[index];
              return line && <Line key={index} line={line} index={index} ceilingUsd={ceilingUsd} />;
            })}
            <GapRow px={afterPx} />
          </tbody>
        </table>
      </section>
    </section>
  );
}

interface LineProps {
  readonly line: LedgerLine;
  readonly index: number;
  readonly ceilingUsd: number;
}

function Line({ line, index, ceilingUsd }: LineProps) {
  const { step, name, reservedUsd, settledUsd, unsettledUsd, runningUsd, tries } = line;
  const parts = [
    { tone: 'spent', name: 'before', value: runningUsd - unsettledUsd },
    { tone: 'unsettled', name: 'unsettled', value: unsettledUsd },
  ] as const;
  return (
    <tr aria-rowindex={index + 2}>
      <th scope="row">
        {step === undefined ? name : <a href={`#step-${step}`}>{name}</a>}
        {tries !== '' && <span class="soft small"> {tries}</span>}
      </th>
      <td class="number soft">{reservedUsd > 0 ? exactUsd(reservedUsd) : '—'}</td>
      <td class="number">{exactUsd(settledUsd)}</td>
      <td class={unsettledUsd > 0 ? 'number warn' : 'number soft'}>
        {unsettledUsd > 0 ? exactUsd(unsettledUsd) : '—'}
      </td>
      <td class="number">{exactUsd(runningUsd)}</td>
      <td class="col-bar">
        <Bar parts={parts} all={ceilingUsd} label={percent(runningUsd, ceilingUsd)} />
      </td>
    </tr>
  );
}
