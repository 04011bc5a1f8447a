import { useLocation } from 'preact-iso';
import type { JobFilter } from '../../client.ts';
import { api } from '../api.ts';
import { statuses, stopReasons } from '../model/filters.ts';
import { addressOf, type LocalFilter } from '../model/local-filter.ts';
import { words } from '../model/text.ts';
import { usePoll } from '../poll.ts';
import { pageOf } from '../settings.ts';

interface FiltersProps {
  readonly filter: JobFilter;
  readonly local: LocalFilter;
}

/** Filters stand in the address, so that a link to a filtered list can be sent. */
export function JobFilters({ filter, local }: FiltersProps) {
  const { route } = useLocation();
  const agents = usePoll('agents', () => api().agents(), 60_000).data?.items ?? [];
  const batches = usePoll('filter-batches', () => api().batches({ limit: 50 }), 30_000).data?.items ?? [];
  const go = (next: JobFilter, here: LocalFilter): void =>
    route(`${pageOf.jobs}${addressOf(next, here)}`, true);
  const change = (name: keyof JobFilter) => (value: string) => {
    const { [name]: _, ...others } = filter;
    go(value === '' ? others : { ...others, [name]: value }, local);
  };
  const known = batches.map(({ id }) => id);
  const { status = '', stop = '', agent = '', batch = '' } = filter;
  const ids = batch === '' || known.includes(batch) ? known : [batch, ...known];
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <Choice label="Status" value={status} of={statuses} name={words} onChange={change('status')} />
      <Choice label="Stop reason" value={stop} of={stopReasons} name={words} onChange={change('stop')} />
      <Choice label="Agent" value={agent} of={agents.map(({ name }) => name)} onChange={change('agent')} />
      <Choice label="Batch" value={batch} of={ids} onChange={change('batch')} />
      <label class="field check">
        <input
          type="checkbox"
          checked={local.review}
          onChange={(event) => go(filter, { ...local, review: event.currentTarget.checked })}
        />{' '}
        to check
      </label>
      <label class="field find">
        <span>Ticket, subject or id</span>
        <input
          type="search"
          maxLength={100}
          value={local.find}
          onInput={(event) => go(filter, { ...local, find: event.currentTarget.value })}
        />
      </label>
      {addressOf(filter, local) !== '' && (
        <a class="clear" href={pageOf.jobs}>
          Clear the filters
        </a>
      )}
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly of: readonly string[];
  readonly name?: (value: string) => string;
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, of, name = (same) => same, onChange }: ChoiceProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">any</option>
        {of.map((one) => (
          <option key={one} value={one}>
            {name(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
