import type { PrivateKind } from '../core/redact.ts';
import { createPeople, needs, type People } from '../tickets/need.ts';
import type { ReportAbout } from './about.ts';
import { bounds } from './bounds.ts';
import { type Card, cardOf } from './card.ts';
import { chartsSection } from './charts-section.ts';
import type { RejectedEntry, ReportEntry } from './entry.ts';
import { createFieldVolumes } from './fields.ts';
import { count, countOf, dollarsLike } from './figures.ts';
import { hiddenEntry, hiddenNote } from './hidden.ts';
import { createKept } from './kept.ts';
import { type Markup, markup } from './markup.ts';
import { overview } from './overview.ts';
import { pageEnd, pageStart, runFooter } from './page.ts';
import { peopleSection } from './people.ts';
import { rejectedSection } from './rejected.ts';
import { createSpread } from './spread.ts';
import { oneLine } from './text.ts';
import { ticketTable } from './ticket-table.ts';
import { topSection } from './top.ts';
import { detail } from './trace.ts';

/** The picture of a finished run: rows are added one by one, and what is kept of them is bounded. */
export interface Report {
  readonly add: (entry: ReportEntry) => void;
  readonly reject: (row: RejectedEntry) => void;
  /** One self-contained page, in pieces. The same rows in the same order give the same page. */
  readonly html: (about: ReportAbout) => AsyncIterable<string>;
}

const byNeed = (a: Card, b: Card): number =>
  needs.indexOf(a.need) - needs.indexOf(b.need) || b.cost.spentUsd - a.cost.spentUsd || a.ordinal - b.ordinal;
const byCost = (a: Card, b: Card): number => b.cost.spentUsd - a.cost.spentUsd || a.ordinal - b.ordinal;
const byTime = (a: Card, b: Card): number => (b.elapsedMs ?? 0) - (a.elapsedMs ?? 0) || a.ordinal - b.ordinal;

/** `hides` is what the agent hides from the model, and the report from its readers. */
export function createReport(hides: readonly PrivateKind[] = []): Report {
  const volumes = createFieldVolumes();
  const spent = createSpread();
  const steps = createSpread();
  const needed = createKept(bounds.tickets, byNeed);
  const dearest = createKept(bounds.top, byCost);
  const slowest = createKept(bounds.top, byTime);
  const rejected: RejectedEntry[] = [];
  const people = createPeople();
  let rows = 0;
  return {
    add: (given) => {
      const entry = hiddenEntry(given, hides);
      const card = cardOf(entry, rows);
      rows += 1;
      needed.add(card);
      volumes.add(entry.row.output);
      people.add(entry.row);
      if (entry.job === undefined) return;
      spent.add(Math.round(card.cost.spentUsd * 1_000_000));
      steps.add(card.steps);
      if (card.cost.spentUsd > 0) dearest.add(card);
      if (card.elapsedMs !== undefined && card.steps > 0) slowest.add(card);
    },
    reject: ({ line, reason }) => {
      if (rejected.length < bounds.listed) rejected.push({ line, reason: oneLine(reason, bounds.line) });
    },
    html: (about) =>
      page({
        ...{ hides, about, people: people.people(), rows, rejected, volumes: volumes.volumes() },
        ...{ spent: spent.spread(), steps: steps.spread() },
        ...{ needed: needed.items(), dearest: dearest.items(), slowest: slowest.items() },
      }),
  };
}

interface Gathered {
  readonly hides: readonly PrivateKind[];
  readonly about: ReportAbout;
  readonly people: People;
  readonly rows: number;
  readonly rejected: readonly RejectedEntry[];
  readonly volumes: ReturnType<ReturnType<typeof createFieldVolumes>['volumes']>;
  readonly spent: ReturnType<ReturnType<typeof createSpread>['spread']>;
  readonly steps: ReturnType<ReturnType<typeof createSpread>['spread']>;
  /** By need, the most pressing first. */
  readonly needed: readonly Card[];
  readonly dearest: readonly Card[];
  readonly slowest: readonly Card[];
}

async function* page(gathered: Gathered): AsyncIterable<string> {
  const { about, people, rows, volumes, needed, dearest, slowest } = gathered;
  const money = dollarsLike(dearest[0]?.cost.spentUsd ?? 0);
  // Whatever is named above the table is in it, so that every link leads somewhere.
  const chosen = new Set([...new Set([...slowest, ...dearest, ...needed])].slice(0, bounds.tickets));
  yield String(pageStart(`Triage of ${countOf(rows, 'ticket')}`));
  yield String(overview(about, people));
  yield '<main>\n';
  yield String(
    peopleSection(
      about,
      people,
      needed.filter((card) => chosen.has(card)),
    ),
  );
  yield String(await chartsSection(gathered));
  yield String(topSection(slowest, dearest, money));
  yield String(ticketsHead(chosen.size, rows, hiddenNote(gathered.hides)));
  const table = ticketTable(volumes, money);
  yield String(table.head());
  const inOrder = [...chosen].sort((a, b) => a.ordinal - b.ordinal);
  for await (const [card, inside] of withDetails(inOrder)) yield String(table.line(card, inside));
  yield `${table.foot()}</section>\n`;
  yield String(rejectedSection(about.summary.rejected, gathered.rejected));
  yield `</main>\n${runFooter(about)}`;
  yield pageEnd;
}

function ticketsHead(shown: number, rows: number, hidden: string): Markup {
  const note =
    shown === rows
      ? ''
      : markup`<p>${count(shown)} of ${count(rows)} tickets are shown: first those that need a person, then the most expensive. All are in results.jsonl.</p>`;
  return markup`<section aria-labelledby="tickets"><h2 id="tickets">Tickets</h2>${note}${hidden !== '' && markup`<p class="soft">${hidden}</p>`}`;
}

/** Traces that are read at once. */
const AT_ONCE = 8;

async function* withDetails(cards: readonly Card[]): AsyncIterable<readonly [Card, Markup]> {
  const most = Math.min(bounds.mostDetail, Math.floor(bounds.detailBytes / Math.max(1, cards.length)));
  for (let at = 0; at < cards.length; at += AT_ONCE) {
    const group = cards.slice(at, at + AT_ONCE);
    const traces = await Promise.all(group.map((card) => (card.steps === 0 ? [] : card.trace())));
    for (const [place, card] of group.entries()) yield [card, detail(card, traces[place] ?? [], most)];
  }
}
