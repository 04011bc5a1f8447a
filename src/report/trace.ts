import { ANSWER_TOOL } from '../core/agent.ts';
import { isObject } from '../core/content.ts';
import { bounds } from './bounds.ts';
import type { AnswerField, Card } from './card.ts';
import type { TraceStep } from './entry.ts';
import { count, duration, timeOfDay } from './figures.ts';
import { type Markup, markup } from './markup.ts';
import { pair } from './parts.ts';
import { writeWithin } from './room.ts';
import { cutBytes, oneLine, textOfValue } from './text.ts';

/** Everything that is known of one ticket, in about so many bytes: a quarter the ticket, a quarter the answer, the steps. */
export function detail(card: Card, steps: readonly TraceStep[], mostBytes: number): Markup {
  const quarter = Math.floor(mostBytes / 4);
  const input = cutBytes(card.input, quarter);
  const ticket =
    input === '' ? markup`<p class="soft">It was not started.</p>` : markup`<pre dir="auto">${input}</pre>`;
  return markup`<div class="detail">
<div class="sides"><div><h3>Ticket</h3>${ticket}</div><div><h3>Answer</h3>${answer(card, quarter)}</div></div>
${stepList(card, steps, quarter * 2)}</div>`;
}

function answer({ message, asks, answer: fields }: Card, mostBytes: number): readonly Markup[] {
  const parts = [
    ...(message === null ? [] : [markup`<p>${message}</p>`]),
    ...asks.slice(0, 1).map((ask) => markup`<p>It waits for an approval of ${ask.tool}.</p>`),
    ...(fields.length === 0 ? [] : [fieldList(fields, mostBytes)]),
  ];
  return parts.length === 0 ? [markup`<p class="soft">There is none.</p>`] : parts;
}

function fieldList(fields: readonly AnswerField[], mostBytes: number): Markup {
  const { written, missing } = writeWithin(fields, mostBytes, ({ name, text }, left) =>
    pair({ name, text: cutBytes(text, left) }),
  );
  return markup`<dl class="pairs">${written}</dl>${leftOut('Fields', missing)}`;
}

function stepList(card: Card, steps: readonly TraceStep[], mostBytes: number): Markup | undefined {
  if (steps.length === 0) return undefined;
  const answered = card.answer.length > 0;
  const { written, missing } = writeWithin(steps, mostBytes, (step, left) => stepItem(step, left, answered));
  return markup`<h3>Steps</h3><ol class="steps">${written}</ol>${leftOut('Steps', missing)}`;
}

function leftOut(what: string, missing: number): Markup | undefined {
  return missing === 0 ? undefined : markup`<p class="soft">${what} left out: ${count(missing)}.</p>`;
}

function stepItem(step: TraceStep, mostBytes: number, answered: boolean): Markup {
  const third = Math.floor(mostBytes / 3);
  const text = step.text !== '' && markup`<p dir="auto">${cutBytes(step.text, third)}</p>`;
  const calls = writeWithin(step.calls, third * 2, (call, left) => callItem(call, left, answered));
  return markup`<li>${facts(step)}${text}${calls.written}${leftOut('Calls', calls.missing)}</li>
`;
}

/** When it was, what it cost, and where the time went. */
function facts({ step, at, model, ms }: TraceStep): Markup {
  const usage = isObject(model['usage']) ? model['usage'] : {};
  const tokens = (name: string): string => count(Number(usage[name] ?? 0));
  const time = (name: string): string => duration(ms[name] ?? 0);
  const attempts = Number(model['attempts'] ?? 1);
  const reason = oneLine(String(model['stopReason'] ?? ''), bounds.line).replaceAll('_', ' ');
  return markup`<p class="facts"><b>Step ${step}</b> <time datetime="${at}">${timeOfDay(at)}</time>
<span>$${Number(model['costUsd'] ?? 0).toFixed(6)}</span> <span class="soft">${reason}${attempts > 1 && `, ${count(attempts)} tries`}</span></p>
<p class="facts soft"><span>model ${time('model')}</span> <span>tools ${time('tools')}</span> <span>queue ${time('queue')}</span>
<span>tokens ${tokens('inputTokens')} in, ${tokens('outputTokens')} out, cache ${tokens('cacheWriteTokens')} written, ${tokens('cacheReadTokens')} read</span></p>`;
}

function callItem(call: Readonly<Record<string, unknown>>, mostBytes: number, answered: boolean): Markup {
  const output = call['output'] ?? undefined;
  const ran = output !== undefined;
  const name = String(call['name'] ?? '');
  const time = ran && markup`<span class="soft">${duration(Number(call['ms'] ?? 0))}</span>`;
  const error = call['isError'] === true && markup`<span class="error">error</span>`;
  const head = markup`<p class="facts"><code>${oneLine(name, bounds.line)}</code> ${time} ${error}</p>`;
  // What was accepted as the answer stands above.
  if (answered && name === ANSWER_TOOL && !ran) return markup`<div class="call">${head}</div>`;
  const half = Math.min(bounds.text, Math.floor(mostBytes / 2));
  const input = cutBytes(textOfValue(call['input']), half);
  const result = ran
    ? markup`<pre dir="auto">${cutBytes(textOfValue(output), half)}</pre>`
    : markup`<p class="none soft">none yet</p>`;
  return markup`<div class="call">${head}<dl class="pairs"><dt>input</dt><dd><pre dir="auto">${input}</pre></dd>
<dt>output</dt><dd>${result}</dd></dl></div>`;
}
