import { ANSWER_TOOL } from '../core/agent.ts';
import { isObject } from '../core/content.ts';
import { bounds } from './bounds.ts';
import type { Card } from './card.ts';
import type { TraceStep } from './entry.ts';
import { count, duration, timeOfDay } from './figures.ts';
import { type Markup, markup } from './markup.ts';
import { pairs } from './parts.ts';
import { cut, oneLine, textOfValue } from './text.ts';

/** Everything that is known of one ticket, in about so many characters. */
export function detail(card: Card, steps: readonly TraceStep[], most: number): Markup {
  const share = Math.floor(most / 4);
  const input = cut(card.input, share);
  const ticket =
    input === '' ? markup`<p class="soft">It was not started.</p>` : markup`<pre dir="auto">${input}</pre>`;
  return markup`<div class="detail">
<div class="sides"><div><h3>Ticket</h3>${ticket}</div><div><h3>Answer</h3>${answer(card, share)}</div></div>
${stepList(card, steps, most - share * 2)}</div>`;
}

function answer(card: Card, most: number): readonly Markup[] {
  const each = Math.max(200, Math.floor(most / Math.max(1, card.answer.length)));
  const fields = card.answer.map(({ name, text }) => ({ name, text: cut(text, each) }));
  const parts = [
    ...(card.message === null ? [] : [markup`<p>${card.message}</p>`]),
    ...card.asks.map((ask) => markup`<p>It waits for an approval of ${ask.tool}:</p>${pairs(ask.input)}`),
    ...(fields.length === 0 ? [] : [pairs(fields)]),
  ];
  return parts.length === 0 ? [markup`<p class="soft">There is none.</p>`] : parts;
}

/** The steps that there is room for, and a word of those left out. */
function stepList(card: Card, steps: readonly TraceStep[], most: number): Markup | undefined {
  if (steps.length === 0) return undefined;
  const written: Markup[] = [];
  let left = most;
  for (const step of steps) {
    const one = stepItem(step, most, card.answer.length > 0);
    left -= String(one).length;
    if (left < 0 && written.length > 0) break;
    written.push(one);
  }
  const missing = steps.length - written.length;
  const rest =
    missing > 0 && markup`<p class="soft">Steps left out: ${count(missing)}, of ${card.jobId ?? ''}.</p>`;
  return markup`<h3>Steps</h3><ol class="steps">${written}</ol>${rest}`;
}

/** Calls of one reply that are shown. */
const MAX_CALLS = 20;

function stepItem(step: TraceStep, most: number, answered: boolean): Markup {
  const room = Math.max(300, Math.floor(most / (2 * step.calls.length + 2)));
  const calls = step.calls.slice(0, MAX_CALLS).map((call) => callItem(call, room, answered));
  const more = step.calls.length - calls.length;
  return markup`<li>${facts(step)}${step.text !== '' && markup`<p dir="auto">${cut(step.text, room)}</p>`}${calls}
${more > 0 && markup`<p class="soft">Calls left out: ${count(more)}.</p>`}</li>
`;
}

/** When it was, what it cost, and where the time went. */
function facts({ step, at, model, ms }: TraceStep): Markup {
  const usage = isObject(model['usage']) ? model['usage'] : {};
  const tokens = (name: string): string => count(Number(usage[name] ?? 0));
  const time = (name: string): string => duration(ms[name] ?? 0);
  const attempts = Number(model['attempts'] ?? 1);
  return markup`<p class="facts"><b>Step ${step}</b> <time datetime="${at}">${timeOfDay(at)}</time>
<span>$${Number(model['costUsd'] ?? 0).toFixed(6)}</span>
<span class="soft">${String(model['stopReason'] ?? '').replaceAll('_', ' ')}${attempts > 1 && `, ${count(attempts)} tries`}</span></p>
<p class="facts soft"><span>model ${time('model')}</span> <span>tools ${time('tools')}</span> <span>queue ${time('queue')}</span>
<span>tokens ${tokens('inputTokens')} in, ${tokens('outputTokens')} out, cache ${tokens('cacheWriteTokens')} written, ${tokens('cacheReadTokens')} read</span></p>`;
}

function callItem(call: Readonly<Record<string, unknown>>, room: number, answered: boolean): Markup {
  const output = call['output'] ?? undefined;
  const ran = output !== undefined;
  const name = String(call['name'] ?? '');
  const time = ran && markup`<span class="soft">${duration(Number(call['ms'] ?? 0))}</span>`;
  const error = call['isError'] === true && markup`<span class="error">error</span>`;
  const head = markup`<p class="facts"><code>${oneLine(name, bounds.line)}</code> ${time} ${error}</p>`;
  // What was accepted as the answer stands above.
  if (answered && name === ANSWER_TOOL && !ran) return markup`<div class="call">${head}</div>`;
  return markup`<div class="call">${head}<dl class="pairs">${value('input', call['input'], room)}${
    ran ? value('output', output, room) : markup`<dt>output</dt><dd><p class="none soft">none yet</p></dd>`
  }</dl></div>`;
}

function value(name: string, given: unknown, room: number): Markup {
  return markup`<dt>${name}</dt><dd><pre dir="auto">${cut(textOfValue(given), room)}</pre></dd>`;
}
