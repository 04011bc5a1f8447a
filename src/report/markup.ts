import { html, raw } from 'hono/html';
import { shown } from '../core/printed.ts';

/** HTML that is written as it stands. */
export type Markup = ReturnType<typeof raw>;

/** HTML with holes: every text in a hole is made visible and escaped; only what is markup already goes in as it is. */
export function markup(strings: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  const made = html(strings, ...values.map(visible));
  if (made instanceof Promise) throw new Error('markup holds no promises');
  return made;
}

/** Text of our own that is HTML already. */
export const trusted = (text: string): Markup => raw(text);

function visible(value: unknown): unknown {
  if (typeof value === 'string') return shown(value);
  return Array.isArray(value) ? value.map(visible) : value;
}
