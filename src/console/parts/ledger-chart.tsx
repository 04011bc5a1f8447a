import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { usd, usdShort } from '../model/figures.ts';
import type { Ledger } from '../model/ledger.ts';
import { chartOf, type LedgerPicture } from '../model/ledger-chart.ts';

const HEIGHT_PX = 220;

/** The staircase of a job's money under its ceiling. The table below it says the same in figures. */
export function LedgerChart({ ledger }: { readonly ledger: Ledger }) {
  const room = useRef<HTMLDivElement>(null);
  const picture = chartOf(ledger);
  const key = JSON.stringify(picture);
  useEffect(() => (room.current === null ? undefined : draw(room.current, picture)), [key]);
  return (
    <figure class="ledger-chart">
      <div ref={room} role="img" aria-label={picture.label} />
      <figcaption class="legend">
        <span>
          <span class="swatch tone-spent" /> settled so far
        </span>
        <span>
          <span class="swatch tone-unsettled" /> unsettled so far
        </span>
        <span>
          <span class="swatch tone-reserved" /> reserved for the request
        </span>
        <span class="soft">
          {picture.ceilingUsd === undefined
            ? `The ceiling, ${usd(ledger.ceilingUsd)}, is far above this picture.`
            : `Dashed: the ceiling, ${usd(ledger.ceilingUsd)}.`}
        </span>
      </figcaption>
    </figure>
  );
}

/** Draws, and draws again where the room or the theme changes. Returns what ends that. */
function draw(room: HTMLElement, picture: LedgerPicture): () => void {
  let chart: uPlot | undefined;
  const again = (): void => {
    chart?.destroy();
    chart = new uPlot(optionsFor(room, picture), [...picture.data] as uPlot.AlignedData, room);
  };
  again();
  const resized = new ResizeObserver(() => chart?.setSize({ width: room.clientWidth, height: HEIGHT_PX }));
  resized.observe(room);
  const theme = matchMedia('(prefers-color-scheme: dark)');
  theme.addEventListener('change', again);
  return () => {
    resized.disconnect();
    theme.removeEventListener('change', again);
    chart?.destroy();
  };
}

function optionsFor(room: HTMLElement, { topUsd, ceilingUsd, names }: LedgerPicture): uPlot.Options {
  const colour = colours(room);
  const font = '12px system-ui, sans-serif';
  const bars = uPlot.paths.bars?.({ size: [0.72, 64], align: 0 });
  const column = (label: string, fill: string): uPlot.Series => ({
    ...{ label, fill, width: 0, points: { show: false } },
    ...(bars === undefined ? {} : { paths: bars }),
    value: (_, value) => (value === null || value === undefined ? '—' : usd(value)),
  });
  const axis = { stroke: colour('--soft'), font, ticks: { show: false } } as const;
  return {
    ...{
      width: room.clientWidth,
      height: HEIGHT_PX,
      padding: [12, 8, 0, 0] as [number, number, number, number],
    },
    ...{ legend: { show: false }, cursor: { show: false } },
    scales: { x: { time: false, range: [0.4, names.length + 0.6] }, y: { range: [0, topUsd] } },
    axes: [
      {
        ...axis,
        size: 26,
        grid: { show: false },
        incrs: [1, 2, 5, 10, 20, 50, 100],
        values: (_, places) => places.map((place) => names[place - 1] ?? ''),
      },
      {
        ...{ ...axis, size: 72, grid: { stroke: colour('--line'), width: 1 } },
        values: (_, values) => values.map(usdShort),
      },
    ],
    series: [
      {},
      column('reserved', colour('--reserved')),
      column('settled', colour('--accent')),
      column('unsettled', colour('--unsettled')),
    ],
    hooks: { draw: ceilingUsd === undefined ? [] : [(chart) => dash(chart, ceilingUsd, colour('--bad'))] },
  };
}

function dash({ ctx, bbox, valToPos }: uPlot, value: number, stroke: string): void {
  const y = valToPos(value, 'y', true);
  ctx.save();
  ctx.beginPath();
  ctx.setLineDash([6, 5]);
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/** Colours of the theme, as a canvas takes them. */
function colours(room: HTMLElement): (name: string) => string {
  const probe = document.createElement('span');
  return (name) => {
    room.append(probe);
    probe.style.color = `var(${name})`;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
