import { type People, peopleText } from '../tickets/need.ts';
import { type Summary, usd } from '../tickets/summary.ts';
import type { ReportAbout } from './about.ts';
import { count, countOf, dateTime } from './figures.ts';
import { type Markup, markup } from './markup.ts';

/** One line of what happened and what it cost, where every row went, and four figures. */
export function overview(about: ReportAbout, people: People): Markup {
  const { summary, scripted, stopped } = about;
  const { read, accepted, rejected, skipped, duplicates } = summary;
  return markup`<header>
<p class="eyebrow">Triage report · agent ${about.agent} · <time datetime="${about.startedAt}">${dateTime(about.startedAt)}</time></p>
<h1>${headline(summary, people)}</h1>
<p class="soft">${count(read)} read = ${count(accepted)} accepted + ${rejectedPart(rejected)} + ${count(skipped)} skipped + ${count(duplicates)} duplicates</p>
${scripted === undefined ? '' : markup`<p class="notice"><strong>Scripted answers.</strong> All answers are ${scripted}: no model was asked and no money was spent. Costs are by the price list.</p>`}
${stopped === '' ? '' : markup`<p class="notice">${stopped}</p>`}
${figures(summary, people)}
</header>`;
}

function headline({ accepted, jobs, cost }: Summary, people: People): string {
  const parts = [
    `${countOf(accepted, 'ticket')} triaged: ${count(jobs.succeeded - people.withoutText)} answered`,
    ...(people.withoutText > 0 ? [`${count(people.withoutText)} without text`] : []),
    ...(people.waiting > 0
      ? [`${count(people.waiting)} ${people.waiting === 1 ? 'waits' : 'wait'} for an approval`]
      : []),
    ...(people.unanswered > 0 ? [`${count(people.unanswered)} stopped or failed`] : []),
    ...(jobs.notStarted > 0 ? [`${count(jobs.notStarted)} not started`] : []),
  ];
  return `${parts.join(', ')}, for ${usd(cost.spentUsd)}`;
}

function rejectedPart(rejected: number): Markup {
  return rejected === 0 ? markup`0 rejected` : markup`<a href="#rejected">${count(rejected)} rejected</a>`;
}

function figures({ accepted, jobs, cost }: Summary, people: People): Markup {
  const need = people.waiting + people.unanswered + people.review;
  const unsettled = cost.unsettledUsd === 0 ? '' : `, ${usd(cost.unsettledUsd)} of it unsettled`;
  const each = accepted === jobs.notStarted ? 0 : cost.spentUsd / (accepted - jobs.notStarted);
  return markup`<dl class="totals">
${figure('Answered', count(jobs.succeeded - people.withoutText), `of ${countOf(accepted, 'ticket')}`)}
${figure('Need a person', count(need), peopleText(people))}
${figure('Spent', usd(cost.spentUsd), `of ${usd(cost.budgetUsd)}${unsettled}`)}
${figure('Per ticket', usd(each), `${usd(cost.savedByCacheUsd)} saved by the cache in all`)}
</dl>`;
}

function figure(name: string, value: string, more: string): Markup {
  return markup`<div><dt>${name}</dt><dd><span class="figure">${value}</span><br><span class="more">${more}</span></dd></div>`;
}
