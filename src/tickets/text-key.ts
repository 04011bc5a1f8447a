import type { Ticket } from '../core/ticket.ts';

/** What a ticket says, without regard to white space and case: equal for two tickets that say the same. */
export function textKey({ subject, body, thread = [] }: Ticket): string {
  const said = [subject, body, ...thread.map(({ text }) => text)].join(' ');
  return said.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}
