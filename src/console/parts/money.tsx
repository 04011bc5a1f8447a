import { moneyParts } from '../model/bar.ts';
import { percent, usd } from '../model/figures.ts';
import { Bar } from './bar.tsx';

interface Cost {
  readonly spentUsd: number;
  readonly reservedUsd: number;
  readonly unsettledUsd?: number;
}

/** What was spent of what may be spent: a figure and a thin bar. */
export function SpentOf({ cost, most }: { readonly cost: Cost; readonly most: number | null }) {
  const label =
    most === null
      ? `${usd(cost.spentUsd)} spent`
      : `${usd(cost.spentUsd)} of ${usd(most)}, ${percent(cost.spentUsd, most)}`;
  return (
    <span class="spent">
      <span class="spent-figure">
        {usd(cost.spentUsd)}
        {most !== null && <span class="soft"> / {usd(most)}</span>}
      </span>
      {most !== null && <Bar parts={moneyParts(cost)} all={most} label={label} />}
    </span>
  );
}
