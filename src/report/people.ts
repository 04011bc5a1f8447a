import type { People } from '../tickets/need.ts';
import type { ReportAbout } from './about.ts';
import { bounds } from './bounds.ts';
import type { Ask, Card } from './card.ts';
import { count, countOf, dateTime } from './figures.ts';
import { type Markup, markup } from './markup.ts';
import { link, words } from './parts.ts';

/** What only a person can do, the most pressing first. */
export function peopleSection(about: ReportAbout, people: People, cards: readonly Card[]): Markup {
  const withNeed = (...needs: readonly Card['need'][]): readonly Card[] =>
    cards
      .filter((card) => needs.includes(card.need))
      .slice(0, bounds.listed)
      .sort((a, b) => a.ordinal - b.ordinal);
  const parts = [
    waiting(about, people.waiting, withNeed('waiting')),
    unanswered(people.unanswered, withNeed('failed', 'stopped', 'cancelled')),
    toCheck(people, withNeed('review')),
  ];
  const nothing = people.waiting + people.unanswered + people.review === 0;
  return markup`<section aria-labelledby="people"><h2 id="people">What needs a person</h2>
${nothing ? markup`<p>Nothing: no ticket waits, failed or was answered with doubt.</p>` : parts}</section>
`;
}

function waiting(about: ReportAbout, many: number, cards: readonly Card[]): Markup | undefined {
  if (many === 0) return undefined;
  return markup`<h3>${countOf(many, 'ticket waits', 'tickets wait')} for an approval</h3>
<p>Decide with ${about.decide.map((line, at) => markup`${at > 0 && ' and beside it '}<code class="command">${line}</code>`)}</p>
<ul class="asks">${cards.map((card) => card.asks.map((ask) => asked(card, ask)))}</ul>${leftOut(many, cards)}`;
}

function asked(card: Card, ask: Ask): Markup {
  const until = ask.expiresAt === '' ? '' : `open until ${dateTime(ask.expiresAt)}`;
  return markup`<li><p><strong>${ask.tool}</strong> for ${link(card)}</p>${words(ask.input)}<p class="soft">${until}</p></li>
`;
}

function unanswered(many: number, cards: readonly Card[]): Markup | undefined {
  if (many === 0) return undefined;
  const lines = cards.map(
    (
      card,
    ) => markup`<tr><th scope="row">${link(card)}</th><td>${(card.reason ?? card.status).replaceAll('_', ' ')}</td>
<td class="soft">${card.message ?? ''}</td></tr>
`,
  );
  return markup`<h3>${countOf(many, 'ticket')} stopped or failed</h3>
<table class="lines"><thead><tr><th scope="col">Ticket</th><th scope="col">Reason</th><th scope="col">What happened</th></tr></thead>
<tbody>${lines}</tbody></table>${leftOut(many, cards)}`;
}

function toCheck({ review: many, withoutText }: People, cards: readonly Card[]): Markup | undefined {
  if (many === 0) return undefined;
  const empty =
    withoutText === 0
      ? ''
      : ` ${countOf(withoutText, 'ticket')} without text ${withoutText === 1 ? 'is' : 'are'} among them: there was nothing to ask.`;
  return markup`<h3>${countOf(many, 'ticket')} to check</h3>
<p class="soft">The agent was not sure enough, or said that somebody has to decide.${empty}</p>
<ul class="plain links">${cards.map((card) => markup`<li>${link(card)}</li>`)}</ul>${leftOut(many, cards)}`;
}

function leftOut(many: number, { length }: readonly Card[]): Markup | undefined {
  if (many <= length) return undefined;
  return markup`<p class="soft">${count(length)} are listed here; the others are in results.jsonl.</p>`;
}
