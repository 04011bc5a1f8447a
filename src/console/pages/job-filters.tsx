import { useLocation } from 'preact-iso';
import type { JobFilter } from '../../client.ts';
import { api } from '../api.ts';
import { queryOf, statuses, stopReasons } from '../model/filters.ts';
import { words } from '../model/text.ts';
import { usePoll } from '../poll.ts';
import { pageOf } from '../settings.ts';

/** Filters stand in the address, so that a link to a filtered list can be sent. */
export function JobFilters({ filter }: { readonly filter: JobFilter }) {
  const { route } = useLocation();
  const agents = usePoll('agents', () => api().agents(), 60_000).data?.items ?? [];
  const batches = usePoll('filter-batches', () => api().batches({ limit: 50 }), 30_000).data?.items ?? [];
  const change = (name: keyof JobFilter) => (value: string) => {
    const { [name]: _, ...others } = filter;
    route(`${pageOf.jobs}${queryOf(value === '' ? others : { ...others, [name]: value })}`, true);
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
      {queryOf(filter) !== '' && (
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
