import type { Bin } from '../model/histogram.ts';

interface HistogramProps {
  readonly bins: readonly Bin[];
  readonly name: (value: number) => string;
  readonly of: (count: number) => string;
}

const WIDTH = 480;
const HEIGHT = 150;
const TOP = 20;
const BOTTOM = 24;

/** How values spread, as columns; the same in words for whoever does not see them. */
export function Histogram({ bins, name, of }: HistogramProps) {
  const most = bins.reduce((all, { count }) => Math.max(all, count), 1);
  const step = WIDTH / Math.max(bins.length, 4);
  const room = HEIGHT - TOP - BOTTOM;
  const [first, last] = [bins[0], bins.at(-1)];
  const right = step * bins.length;
  return (
    <figure>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} class="histogram" aria-hidden="true">
        {bins.map(({ from, count }, at) => {
          const height = (count / most) * room;
          return (
            <g key={from}>
              <rect
                class="tone-spent"
                x={at * step + 1}
                width={step - 2}
                y={TOP + room - height}
                height={height}
              />
              {count > 0 && (
                <text x={(at + 0.5) * step} y={TOP + room - height - 5} text-anchor="middle">
                  {count}
                </text>
              )}
            </g>
          );
        })}
        <line class="axis" x1="0" x2={WIDTH} y1={TOP + room} y2={TOP + room} />
        {first !== undefined && (
          <text x="0" y={HEIGHT - 6}>
            {name(first.from)}
          </text>
        )}
        {last !== undefined && last !== first && (
          <text x={right} y={HEIGHT - 6} text-anchor="end">
            {name(last.to)}
          </text>
        )}
      </svg>
      <ul class="unseen">
        {bins.map(({ from, to, count }) => (
          <li key={from}>{`${name(from)} to ${name(to)}: ${of(count)}`}</li>
        ))}
      </ul>
    </figure>
  );
}
