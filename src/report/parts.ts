import type { AnswerField, Card } from './card.ts';
import { type Markup, markup } from './markup.ts';

/** A ticket by its id and subject, as a way to its line. */
export function link(card: Card): Markup {
  return markup`<a href="#t${card.ordinal}"><bdi>${card.id}</bdi></a> <bdi class="soft">${card.subject}</bdi>`;
}

/** A value that is empty says so: a name alone would look like a fault. */
const shownText = (text: string): string | Markup =>
  text === '' ? markup`<span class="soft">none</span>` : text;

/** A name and its value, one of a list of them. */
export function pair({ name, text }: AnswerField): Markup {
  return markup`<dt><bdi>${name}</bdi></dt><dd dir="auto">${shownText(text)}</dd>`;
}

/** Names and values in one line, as far as there is room. */
export function words(fields: readonly AnswerField[]): Markup {
  return markup`<dl class="words">${fields.map(
    ({ name, text }) => markup`<div><dt><bdi>${name}</bdi></dt><dd><bdi>${shownText(text)}</bdi></dd></div>`,
  )}</dl>`;
}
