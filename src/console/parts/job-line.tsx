import { ago, count, dateTime } from '../model/figures.ts';
import type { JobRow } from '../model/job-row.ts';
import { now } from '../now.ts';
import { pageOf } from '../settings.ts';
import { SpentOf } from './money.tsx';
import { Status } from './status.tsx';
import { Text } from './text.tsx';

/** Every line of the list has this height, so that a place in it is a product. */
export const ROW_PX = 56;

export function JobColumns() {
  return (
    <thead>
      <tr>
        <th scope="col" class="col-status">
          Status
        </th>
        <th scope="col">Job</th>
        <th scope="col" class="col-agent">
          Agent
        </th>
        <th scope="col" class="number col-steps">
          Steps
        </th>
        <th scope="col" class="col-cost">
          Cost of ceiling
        </th>
        <th scope="col" class="number col-age">
          Age
        </th>
      </tr>
    </thead>
  );
}

interface JobLineProps {
  readonly row: JobRow;
  readonly index?: number;
  readonly chosen?: boolean;
}

export function JobLine({ row, index, chosen = false }: JobLineProps) {
  const { id, status, reason, toCheck, about, ticket, agent, steps, cost, createdAt } = row;
  return (
    <tr class={chosen ? 'chosen' : ''} {...(index === undefined ? {} : { 'aria-rowindex': index + 2 })}>
      <td class="col-status">
        <Status status={status} reason={reason} review={toCheck} />
      </td>
      <th scope="row" class="col-job">
        <a class="stretched" href={pageOf.job(id)}>
          <Text>{ticket ?? (about === '' ? id : about)}</Text>
        </a>
        {ticket !== undefined && (
          <span class="soft">
            {' '}
            <Text>{about}</Text>
          </span>
        )}
        <span class="brief">
          <Status status={status} reason={reason} review={toCheck} />
        </span>
        {(ticket !== undefined || about !== '') && <code class="job-id soft">{id}</code>}
      </th>
      <td class="col-agent">
        <Text>{agent}</Text>
      </td>
      <td class="number col-steps">{count(steps)}</td>
      <td class="col-cost">
        <SpentOf cost={cost} most={cost.ceilingUsd} />
      </td>
      <td class="number col-age">
        <time dateTime={createdAt} title={dateTime(createdAt)}>
          {ago(createdAt, now.value)}
        </time>
      </td>
    </tr>
  );
}
