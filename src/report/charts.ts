import type { RectYOptions, TextYOptions } from '@observablehq/plot';
import { shown } from '../core/printed.ts';
import type { Bar } from './fields.ts';
import { count, countOf } from './figures.ts';
import type { Spread } from './spread.ts';

/** A chart as SVG that needs nothing else, and the same figures in words; what words alone say better has no drawing. */
export interface Chart {
  readonly title: string;
  readonly svg: string | undefined;
  readonly said: readonly string[];
}

export interface Histogram {
  readonly title: string;
  readonly spread: Spread;
  /** The values are whole numbers that people count by. */
  readonly whole: boolean;
  /** One value, for an axis and in words. */
  readonly valueText: (value: number) => string;
}

export interface Charts {
  readonly bars: (title: string, bars: readonly Bar[]) => Chart;
  readonly histogram: (histogram: Histogram) => Chart;
}

interface Extent {
  readonly x1: number;
  readonly x2: number;
}

const WIDTH = 340;
const FONT = 12;
const BAR = 26;
/** The room for labels: as much as the longest needs, within these. */
const LEAST_LABELS = 116;
const MOST_LABELS = 184;
/** Pixels that a letter of a label takes in any of the fonts, and around it. */
const LABEL_LETTER = 6.6;
const LABEL_GAP = 12;
const HISTOGRAM = 170;
/** Beside a histogram, so that half of a label stands under each of its ends. */
const SIDE = 32;
const BINS = 12;
/** Whole numbers that span no more than this have a column each. */
const MOST_COLUMNS = 17;

/**
 * Charts by Observable Plot, drawn without a browser. The libraries are loaded here and not before, because they take more
 * time than all else of the command.
 */
export async function loadCharts(): Promise<Charts> {
  const [Plot, { parseHTML }] = await Promise.all([import('@observablehq/plot'), import('linkedom')]);
  const { document } = parseHTML('<html><body></body></html>');
  const common = { document, width: WIDTH, className: 'plot', style: { fontSize: `${FONT}px` } };
  const fill = 'var(--accent)';

  const bars = (title: string, given: readonly Bar[]): Chart => {
    const data = given.map((bar, place) => ({ place, label: shown(bar.label), count: bar.count }));
    const said = data.map((bar) => `${bar.label}: ${count(bar.count)}`);
    const labels = labelRoom(data.map(({ label }) => label));
    const svg = Plot.plot({
      ...{ ...common, height: data.length * BAR, marginTop: 0, marginBottom: 0 },
      ...{ marginLeft: labels, marginRight: 44 },
      x: { axis: null },
      // By place: two values may look the same.
      y: { type: 'band', domain: data.map((bar) => bar.place), padding: 0.28 },
      marks: [
        Plot.axisY({
          ...{ label: null, tickSize: 0, textAnchor: 'start', tickPadding: labels },
          ...{ textOverflow: 'ellipsis', lineWidth: labels / FONT - 0.75 },
          tickFormat: (place: number) => data[place]?.label ?? '',
        }),
        Plot.barX(data, { x: 'count', y: 'place', fill, title: (bar) => said[bar.place] }),
        Plot.text(data, {
          ...{ x: 'count', y: 'place', textAnchor: 'start', dx: 6 },
          text: (bar) => count(bar.count),
        }),
      ],
    });
    return { title, svg: drawn(svg), said };
  };

  const histogram = ({ title, spread, valueText, whole }: Histogram): Chart => {
    const [only] = spread;
    if (only !== undefined && spread.length === 1) {
      return { title, svg: undefined, said: [saidAlone(valueText(only.value), only.rows)] };
    }
    const said: string[] = [];
    const bins = binsOf(spread, whole, (ticks) => haveRoom(ticks, valueText, spread));
    const say = (rows: readonly number[], { x1, x2 }: Extent): string => {
      const last = whole ? x2 - 1 : x2;
      const single = bins.single || x1 === last;
      const where = single ? valueText((x1 + x2) / 2) : `${valueText(x1)} to ${valueText(last)}`;
      const text = `${where}: ${countOf(sum(rows), 'ticket')}`;
      said.push(text);
      return text;
    };
    const from = { x: { value: 'value', thresholds: bins.thresholds }, y: 'rows' } as const;
    const columns = Plot.binX<RectYOptions>(
      { y: 'sum', title: say },
      { ...from, title: 'rows', fill, inset: 0.5 },
    );
    // A figure under the last column must not be cut.
    const side = whole ? 16 : SIDE;
    const many = (rows: readonly number[]): string => count(sum(rows));
    const counts = Plot.binX<TextYOptions>({ y: 'sum', text: many }, { ...from, text: 'rows', dy: -9 });
    const svg = Plot.plot({
      ...{
        ...common,
        height: HISTOGRAM,
        marginLeft: side,
        marginRight: side,
        marginTop: 20,
        marginBottom: 26,
      },
      x: { label: null, ticks: bins.ticks, tickSize: 0, tickFormat: valueText },
      y: { axis: null },
      marks: [Plot.rectY(spread, columns), Plot.textY(spread, counts), Plot.ruleY([0])],
    });
    return { title, svg: drawn(svg), said };
  };
  return { bars, histogram };
}

function labelRoom(labels: readonly string[]): number {
  const longest = Math.max(0, ...labels.map(({ length }) => length));
  return Math.min(MOST_LABELS, Math.max(LEAST_LABELS, Math.ceil(longest * LABEL_LETTER + LABEL_GAP)));
}

/** One value has no spread to be drawn. */
const saidAlone = (value: string, rows: number): string =>
  rows === 1 ? `${value} for the only ticket` : `${value} for each of ${countOf(rows, 'ticket')}`;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

interface Bins {
  /** Each bin holds one whole number. */
  readonly single: boolean;
  readonly thresholds: number | number[];
  readonly ticks: number | number[];
}

/** A column for each whole number where these are few, else about twelve round steps. */
function binsOf(spread: Spread, whole: boolean, fits: (ticks: readonly number[]) => boolean): Bins {
  const least = spread[0]?.value ?? 0;
  const most = spread.at(-1)?.value ?? 0;
  if (!whole || most - least >= MOST_COLUMNS) {
    return { single: false, thresholds: BINS, ticks: roundTicks(least, most, fits) };
  }
  const ticks = Array.from({ length: most - least + 1 }, (_, at) => least + at);
  return { single: true, thresholds: [least - 0.5, ...ticks.map((tick) => tick + 0.5)], ticks };
}

/** Round values between these, as many as have room for their labels; the least of all where not even two have. */
function roundTicks(least: number, most: number, fits: (ticks: readonly number[]) => boolean): number[] {
  for (let many = MOST_TICKS; many > 0; many -= 1) {
    const step = roundStep((most - least) / many);
    const first = Math.ceil(least / step);
    const count = Math.floor(most / step) - first + 1;
    // A product of round numbers is not always one.
    const ticks = Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(12)));
    if (count > 0 && fits(ticks)) return ticks;
  }
  return [least];
}

const MOST_TICKS = 4;

/** The next of 1, 2, 5, 10, 20 … in whatever unit. */
function roundStep(size: number): number {
  const unit = 10 ** Math.floor(Math.log10(size));
  return unit * (SIZES.find((one) => one * unit >= size * 0.999_999) ?? 10);
}

const SIZES = [1, 2, 5, 10] as const;

/** Whether labels stand apart, and say different things. The outermost columns may reach beyond the values, so that these have not the whole width. */
function haveRoom(ticks: readonly number[], label: (value: number) => string, spread: Spread): boolean {
  const range = (spread.at(-1)?.value ?? 0) - (spread[0]?.value ?? 0);
  const [first = 0, second] = ticks;
  if (second === undefined) return true;
  const labels = ticks.map(label);
  const longest = Math.max(...labels.map(({ length }) => length));
  const apart = ((second - first) / range) * (WIDTH - 2 * SIDE) * INSIDE;
  return new Set(labels).size === labels.length && apart >= longest * LABEL_LETTER + LABEL_GAP;
}

/** The least part of the width that the values have between the ends of the outermost columns. */
const INSIDE = 0.8;

/** What is drawn on needs no more of a browser than this. The figures are read out from the words beside the drawing. */
function drawn(svg: { outerHTML: string; setAttribute: (name: string, value: string) => void }): string {
  svg.setAttribute('aria-hidden', 'true');
  return svg.outerHTML;
}
