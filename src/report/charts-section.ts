import type { Summary } from '../tickets/summary.ts';
import type { ReportAbout } from './about.ts';
import { type Chart, type Charts, loadCharts } from './charts.ts';
import { type Bar, type FieldVolume, pooled } from './fields.ts';
import { dollarsLike } from './figures.ts';
import { type Markup, markup, trusted } from './markup.ts';
import type { Spread } from './spread.ts';

export interface Drawable {
  readonly volumes: readonly FieldVolume[];
  readonly about: ReportAbout;
  /** Micro-dollars and steps of the jobs that were started. */
  readonly spent: Spread;
  readonly steps: Spread;
}

/** How the tickets spread: by the fields of the answer, by how their jobs ended, by cost and by steps. */
export async function chartsSection(drawable: Drawable): Promise<Markup> {
  const charts = await loadCharts();
  const volumes = drawable.volumes.map(({ title, bars }) => charts.bars(title, bars));
  return markup`${section('volume', 'Tickets by', volumes)}${section('run', 'The run', runCharts(charts, drawable))}`;
}

function runCharts(charts: Charts, { about, spent, steps }: Drawable): readonly Chart[] {
  const money = dollarsLike((spent.at(-1)?.value ?? 0) / 1_000_000);
  const short = (micro: number): string => money(micro / 1_000_000).replace(/(\.\d\d\d*?)0+$/, '$1');
  const costs = { title: 'Cost of a ticket', spread: spent, whole: false, valueText: short };
  const counts = { title: 'Steps of a ticket', spread: steps, whole: true, valueText: String };
  return [
    ...(spent.some(({ value }) => value > 0) ? [charts.histogram(costs)] : []),
    ...(steps.length > 0 ? [charts.histogram(counts)] : []),
    charts.bars('How the jobs ended', pooled(outcomes(about.summary))),
  ];
}

function outcomes({ jobs, stopReasons }: Summary): readonly Bar[] {
  const reasons = Object.entries(stopReasons).map(([label, count]) => ({
    label: label.replaceAll('_', ' '),
    count,
  }));
  return [
    { label: 'completed', count: jobs.succeeded },
    { label: 'awaiting approval', count: jobs.awaitingApproval },
    ...reasons.sort((a, b) => b.count - a.count),
    { label: 'not started', count: jobs.notStarted },
  ].filter(({ count }) => count > 0);
}

function section(id: string, title: string, charts: readonly Chart[]): Markup {
  if (charts.length === 0) return markup``;
  return markup`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><div class="charts">
${charts.map(
  ({ title, svg, said }) =>
    markup`<figure><figcaption>${title}</figcaption>${
      svg === undefined
        ? inWords(said)
        : markup`${trusted(svg)}
<ul class="unseen">${said.map((line) => markup`<li>${line}</li>`)}</ul>`
    }</figure>`,
)}</div></section>`;
}

const inWords = (said: readonly string[]): readonly Markup[] => said.map((line) => markup`<p>${line}</p>`);
