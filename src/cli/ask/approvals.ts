import stringWidth from 'string-width';
import { ApiError, type Approval, type Client } from '../../client.ts';
import { isObject } from '../../core/content.ts';
import { padded } from '../../tickets/padded.ts';
import { exitCode } from '../exit-codes.ts';
import { FEW_LINES, type TicketText, textLines, ticketIn } from '../ticket-text.ts';
import type { Asking } from './asking.ts';
import { decideWith } from './decide.ts';
import { pagesOf, type Wanted, writeJson } from './pages.ts';
import { moreText } from './print-list.ts';
import { longSpan, painted, ticketOf, valueText, visible } from './shown.ts';
import { wrapped } from './wrapped.ts';

export interface ApprovalsOptions extends Wanted {
  /** Tickets as long as they are. @default their first lines */
  readonly whole?: boolean;
}

/** The calls that wait for a person, the one that waits longest first, with all that a decision needs. */
export async function listApprovals(asking: Asking, wanted: ApprovalsOptions): Promise<number> {
  const { client, terminal, json, clock } = asking;
  const pages = pagesOf((page) => client.approvals(page), wanted);
  if (json) {
    await writeJson(pages, terminal.out);
    return exitCode.done;
  }
  let shown = 0;
  for await (const { items, cursor } of pages) {
    for await (const asked of withTickets(client, items)) {
      const most = wanted.whole === true ? Number.POSITIVE_INFINITY : FEW_LINES;
      const shownAt = { nowMs: clock.now(), most, asking };
      terminal.out(`${shown === 0 ? '' : '\n'}${approvalText(asked, shownAt)}`);
      shown += 1;
    }
    if (cursor !== null && wanted.all !== true) {
      terminal.err(moreText(cursor));
    }
  }
  if (shown === 0) terminal.err('Nothing waits for a person.\n');
  return exitCode.done;
}

/** A call with the ticket that it is about; undefined once that is deleted. */
interface Asked {
  readonly approval: Approval;
  readonly about: TicketText | undefined;
}

const AT_ONCE = 8;

/** The list of calls has no tickets: those are with the jobs. */
async function* withTickets(client: Client, approvals: readonly Approval[]): AsyncGenerator<Asked> {
  for (let at = 0; at < approvals.length; at += AT_ONCE) {
    yield* await Promise.all(
      approvals.slice(at, at + AT_ONCE).map(async (approval) => ({
        approval,
        about: await client.job(approval.jobId).then(({ input }) => ticketIn(input), gone),
      })),
    );
  }
}

function gone(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

interface Shown {
  readonly nowMs: number;
  readonly most: number;
  readonly asking: Asking;
}

function approvalText({ approval, about }: Asked, { nowMs, most, asking }: Shown): string {
  const { color, width } = asking.terminal;
  const { jobId, callId, tool, agent, batchId, expiresAt } = approval;
  const ticket = ticketOf(approval);
  const facts: readonly (readonly [string, string])[] = [
    ['job', visible(jobId)],
    ['call', visible(callId)],
    ...(ticket === '' ? [] : [['ticket', ticket] as const]),
    ['agent', visible(agent)],
    ...(batchId === null ? [] : [['batch', visible(batchId)] as const]),
    ['expires', expiryText(Date.parse(expiresAt) - nowMs)],
    ...(about === undefined || about.subject === '' ? [] : [['subject', visible(about.subject)] as const]),
  ];
  const head = painted(visible(tool), 'strong', color);
  const room = { indent: '  | ', width, most, more: '--whole shows all' };
  const words = (about === undefined ? [] : textLines(about.text, room)).map((line) => `${line}\n`).join('');
  return `${head}\n${rowsText(facts, '  ', width)}${words}  arguments\n${rowsText(argumentsOf(approval.input), '    ', width)}${decideWith(jobId, callId, asking.endpoint)}`;
}

const expiryText = (leftMs: number): string => (leftMs > 0 ? `in ${longSpan(leftMs)}` : 'now');

/** By name, each whole: nobody decides on what was cut. */
function argumentsOf(input: unknown): readonly (readonly [string, string])[] {
  if (!isObject(input)) return [['', valueText(input)]];
  return Object.entries(input).map(([name, value]) => [visible(name), valueText(value)]);
}

const MOST_NAME = 24;
const LEAST_VALUE = 16;

/** Names and values under each other; a long value goes on below itself. */
function rowsText(rows: readonly (readonly [string, string])[], indent: string, width: number): string {
  const widest = Math.min(MOST_NAME, Math.max(0, ...rows.map(([name]) => stringWidth(name))));
  const room = Math.max(LEAST_VALUE, width - indent.length - widest - 2);
  return rows
    .flatMap(([name, value]) =>
      wrapped(value, room).map((line, at) => `${indent}${padded(at === 0 ? name : '', widest)}  ${line}\n`),
    )
    .join('');
}
