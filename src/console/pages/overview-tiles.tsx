import type { Approval, Health, Page } from '../../client.ts';
import { count, usd } from '../model/figures.ts';
import { healthOf } from '../model/health.ts';
import type { Overview } from '../model/overview.ts';
import { Figure } from '../parts/figure.tsx';
import { pageOf } from '../settings.ts';

interface TilesProps {
  readonly seen: Overview;
  readonly spent: { readonly usd: number; readonly covers: string };
  readonly waiting: Page<Approval> | undefined;
  readonly health: Health | undefined;
  /** Whether there are more jobs than were looked at. */
  readonly more: boolean;
}

/** The four questions in four figures, each of which leads to where the answer is whole. */
export function Tiles({ seen, spent, waiting, health, more }: TilesProps) {
  const { well, why } = healthOf(health);
  const approvals = waiting?.items.length ?? 0;
  const plus = waiting?.cursor ? '+' : '';
  const live = seen.running > 0 ? 'running' : 'queued';
  return (
    <dl class="totals">
      <Figure
        name="Doing"
        href={seen.live === 0 ? pageOf.jobs : `${pageOf.jobs}?status=${live}`}
        value={count(seen.live)}
        more={seen.doing}
      />
      <Figure
        name="Needs a person"
        href={approvals > 0 ? pageOf.approvals : `${pageOf.jobs}?review=yes`}
        value={`${count(approvals + seen.toCheck)}${plus}`}
        more={
          <>
            <a href={pageOf.approvals}>
              {count(approvals)}
              {plus} to approve
            </a>
            , <a href={`${pageOf.jobs}?review=yes`}>{count(seen.toCheck)} to check</a>
            {more && seen.toCheck > 0 && ' among the newest jobs'}
          </>
        }
        tone={approvals > 0 ? 'warn' : undefined}
      />
      <Figure name="Spent" href={pageOf.costs} value={usd(spent.usd)} more={spent.covers} />
      <Figure
        name="Health"
        href={pageOf.health}
        value={health === undefined ? '…' : health.stopped ? 'stopped' : well ? 'well' : 'look'}
        tone={well ? undefined : 'bad'}
        more={why}
      />
    </dl>
  );
}
