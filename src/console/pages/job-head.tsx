import type { Job } from '../../client.ts';
import { moneyParts } from '../model/bar.ts';
import { count, dateTime, duration, percent, span, usd } from '../model/figures.ts';
import { isToCheck } from '../model/job-row.ts';
import { aboutInput, ticketOf, words } from '../model/text.ts';
import type { Timeline } from '../model/timeline.ts';
import { tookOf } from '../model/took.ts';
import { now } from '../now.ts';
import { Bar, Legend } from '../parts/bar.tsx';
import { Figure } from '../parts/figure.tsx';
import { Status } from '../parts/status.tsx';
import { Text } from '../parts/text.tsx';
import { pageOf } from '../settings.ts';

export function jobTitle(job: Job) {
  const ticket = ticketOf(job.metadata);
  const about = aboutInput(job.input);
  return (
    <>
      {ticket !== undefined && (
        <>
          <Text>{ticket}</Text>{' '}
        </>
      )}
      <span class={ticket === undefined ? '' : 'soft'}>
        <Text>{about === '' ? job.id : about}</Text>
      </span>
    </>
  );
}

interface HeadProps {
  readonly job: Job;
  readonly timeline: Timeline;
}

/** How a job stands, why it ended, what it used of its limits, and its money against the ceiling. */
export function JobHead({ job, timeline }: HeadProps) {
  const { id, agent, batchId, status, stop, cost, createdAt } = job;
  const money = moneyParts(cost);
  const free = Math.max(0, cost.ceilingUsd - cost.spentUsd - cost.reservedUsd);
  return (
    <>
      <p class="facts soft">
        <Status
          status={status}
          reason={stop?.reason === 'completed' ? undefined : stop?.reason}
          review={isToCheck(job)}
        />
        <code>{id}</code>
        <span>
          agent <Text>{agent}</Text>
        </span>
        {batchId !== null && <a href={pageOf.batch(batchId)}>its batch</a>}
        <span>begun {dateTime(createdAt)}</span>
      </p>
      {stop !== null && stop.reason !== 'completed' && (
        <p class="warn-panel">
          <strong>{sentence(words(stop.reason))}.</strong> <Text>{stop.message}</Text>
          {stop.resumable && ' It can be extended and goes on from where it stopped.'}
        </p>
      )}
      <section aria-labelledby="money" class="money">
        <h2 id="money" class="unseen">
          Money
        </h2>
        <Bar
          tall
          parts={money}
          all={cost.ceilingUsd}
          label={`${usd(cost.spentUsd)} of ${usd(cost.ceilingUsd)} spent`}
        />
        <Legend parts={[...money, { tone: 'free', name: 'free', value: free }]} text={usd} />
      </section>
      <Figures job={job} timeline={timeline} />
    </>
  );
}

function Figures({ job, timeline }: HeadProps) {
  const { cost, steps, limits, usage } = job;
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const took = tookOf(job, timeline, now.value);
  return (
    <dl class="totals">
      <Figure
        name="Spent"
        value={usd(cost.spentUsd)}
        more={`${percent(cost.spentUsd, cost.ceilingUsd)} of ${usd(cost.ceilingUsd)}${cost.unsettledUsd > 0 ? `, ${usd(cost.unsettledUsd)} unsettled` : ''}`}
        tone={cost.unsettledUsd > 0 ? 'warn' : undefined}
      />
      <Figure name="Steps" value={count(steps)} more={`of ${count(limits.maxSteps)}`} />
      <Figure
        name="Tokens"
        value={count(tokens)}
        more={`of ${count(limits.maxTokens)}, ${usd(cost.savedByCacheUsd)} saved by the cache`}
      />
      <Figure
        name={took.name}
        value={took.name === 'Age' ? span(took.ms) : duration(took.ms)}
        more={took.more}
      />
    </dl>
  );
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
