import { countOf, usd } from './figures.ts';
import { heldAt, type Ledger } from './ledger.ts';

/** The columns of a ledger: places, and for each what is held, settled and unsettled, every one from the ground up. */
export interface LedgerPicture {
  readonly names: readonly string[];
  readonly data: readonly (readonly number[])[];
  readonly topUsd: number;
  /** Undefined where the ceiling is so far above that it would press everything flat. */
  readonly ceilingUsd: number | undefined;
  readonly label: string;
}

/** A ceiling farther above than this is said in words. */
const FAR = 5;

/** Later series are drawn over earlier ones: of a column the lowest part is unsettled, then settled, then held. */
export function chartOf({ lines, ceilingUsd, mostUsd, spentUsd }: Ledger): LedgerPicture {
  let unsettled = 0;
  const open = lines.map((line) => {
    unsettled += line.unsettledUsd;
    return unsettled;
  });
  const near = ceilingUsd <= mostUsd * FAR;
  return {
    names: lines.map(({ step }) => (step === undefined ? '·' : String(step))),
    data: [
      lines.map((_, at) => at + 1),
      lines.map((line) => Math.max(line.runningUsd, heldAt(line))),
      lines.map(({ runningUsd }) => runningUsd),
      open,
    ],
    topUsd: (near ? Math.max(ceilingUsd, mostUsd) : mostUsd) * 1.08 || 1,
    ceilingUsd: near ? ceilingUsd : undefined,
    label: `Running cost over ${countOf(lines.length, 'line')}: ${usd(spentUsd)} of ${usd(ceilingUsd)} at the end.`,
  };
}
