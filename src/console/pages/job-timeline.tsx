import { duration, span } from '../model/figures.ts';
import type { Phase, Timeline, TimelineRow } from '../model/timeline.ts';
import { GapRow } from '../parts/gap.tsx';
import { useElementRows } from '../parts/use-rows.ts';

const ROW_PX = 32;
const phases: readonly Phase[] = ['queue', 'tools', 'model', 'engine'];

/** Where the time of a job went, step under step. */
export function JobTimeline({ timeline }: { readonly timeline: Timeline }) {
  const { rows, busyMs, waitedMs, byPhase } = timeline;
  const { list, items, beforePx, afterPx } = useElementRows<HTMLElement>({
    count: rows.length,
    rowPx: ROW_PX,
  });
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <ul class="legend">
        {phases
          .filter((phase) => byPhase[phase] > 0)
          .map((phase) => (
            <li key={phase}>
              <span class={`swatch phase-${phase}`} /> {phase} <b>{duration(byPhase[phase])}</b>
            </li>
          ))}
        <li class="soft">
          {duration(busyMs)} at work{waitedMs > 0 && `, ${span(waitedMs)} of waits cut short`}
        </li>
      </ul>
      <p class="soft small">
        Queue: from when a step could be taken up until it was. Engine: what Treadle took itself until the
        reply was stored; the two writes that end a step stand between the bars. Waits for a person, or until
        a model could be asked again, are in neither.
      </p>
      <section class="scroll" ref={list} tabIndex={0} aria-label="Timeline, step by step">
        <table class="waterfall" aria-rowcount={rows.length + 1}>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col" class="col-bar">
                <span class="unseen">Queue, tools, model and engine in time</span>
              </th>
              <th scope="col" class="number">
                Took
              </th>
            </tr>
          </thead>
          <tbody>
            <GapRow px={beforePx} />
            {items.map(({ index }) => {
              const row = rows[index];
              return row && <Row key={index} row={row} index={index} />;
            })}
            <GapRow px={afterPx} />
          </tbody>
        </table>
      </section>
    </section>
  );
}

function Row({ row, index }: { readonly row: TimelineRow; readonly index: number }) {
  const { step, totalMs, stretches, waitedMs, tries, lost } = row;
  const phased = stretches.map(({ phase, ms }) => `${phase} ${duration(ms)}`);
  const said = [...phased, ...(tries === '' ? [] : [tries])].join(', ');
  const start = stretches[0]?.from ?? 0;
  return (
    <tr aria-rowindex={index + 2}>
      <th scope="row">
        <a href={`#step-${step}`}>Step {step}</a>
      </th>
      <td class="col-bar">
        <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={said}>
          {waitedMs > 0 && <line class="wait" x1={start - 1} x2={start - 1} y1="0" y2="8" />}
          {stretches.map(({ phase, from, width }) => (
            <rect key={phase} class={`phase-${phase}`} x={from} width={Math.max(0.3, width)} height="8" />
          ))}
          {lost.map((from) => (
            <rect key={from} class="tone-unsettled" x={from} width="0.6" height="8" />
          ))}
        </svg>
      </td>
      <td class="number" title={said}>
        {duration(totalMs)}
        {waitedMs > 0 && <span class="soft small"> after {span(waitedMs)}</span>}
        {tries !== '' && <span class={lost.length > 0 ? 'warn small' : 'soft small'}> {tries}</span>}
      </td>
    </tr>
  );
}
