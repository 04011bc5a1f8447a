import { useLocation } from 'preact-iso';
import { answers, api, connection, tenant } from '../api.ts';
import { clockTime, count } from '../model/figures.ts';
import { isTenant } from '../model/tenant.ts';
import { notice } from '../notice.ts';
import { usePoll } from '../poll.ts';
import { pageOf, settings } from '../settings.ts';
import { TenantField } from './tenants.tsx';

const places = [
  { name: 'Overview', href: pageOf.overview },
  { name: 'Jobs', href: pageOf.jobs },
  { name: 'Batches', href: pageOf.batches },
  { name: 'Approvals', href: pageOf.approvals },
  { name: 'Costs', href: pageOf.costs },
  { name: 'Health', href: pageOf.health },
] as const;

export function TopBar({ onHelp }: { readonly onHelp: () => void }) {
  const { path } = useLocation();
  return (
    <header class="top">
      <div class="top-inner">
        <a class="brand" href={pageOf.overview}>
          Treadle
        </a>
        <nav aria-label="Pages">
          {places.map(({ name, href }) => (
            <a key={href} href={href} aria-current={isHere(path, href) ? 'page' : undefined}>
              {name}
              {name === 'Approvals' && showsJobs() && <Waiting />}
            </a>
          ))}
        </nav>
        <div class="top-more">
          {settings.tenants && <TenantField />}
          <button type="button" class="quiet" onClick={onHelp} aria-label="Keys and help">
            ?
          </button>
        </div>
      </div>
      {answers.value !== '' && (
        <p class="scripted">
          Answers are {answers.value}: no model is asked and no money is spent. Costs are by the price list.
        </p>
      )}
    </header>
  );
}

const isHere = (path: string, href: string): boolean => {
  const place = href.replace(/\/$/, '');
  return place === pageOf.overview.replace(/\/$/, '') ? path === place : path.startsWith(place);
};

/** A name that none can have is asked nothing about. */
export const showsJobs = (): boolean => !settings.tenants || isTenant(tenant.value);

const MANY = 50;

/** How many calls wait for a person, wherever one is. */
function Waiting() {
  const { data } = usePoll('waiting', () => api().approvals({ limit: MANY }), 5_000);
  const many = data?.items.length ?? 0;
  if (many === 0) return null;
  return (
    <span class="badge">
      {count(many)}
      {data?.cursor === null ? '' : '+'}
      <span class="unseen"> waiting</span>
    </span>
  );
}

/** The page goes on showing what it knows, and says how old that is. */
export function ConnectionLost() {
  const { lost, heardMs } = connection.value;
  return (
    <div role="status">
      {lost && (
        <p class="lost">
          <strong>Connection lost.</strong> This is what was known at {clockTime(heardMs)}; the page goes on
          trying.
        </p>
      )}
    </div>
  );
}

export function NoticeLine() {
  const { kind, text } = notice.value ?? { kind: 'done', text: '' };
  return (
    <div class={text === '' ? 'notice-line' : `notice-line ${kind}`} role="status">
      {text}
    </div>
  );
}
