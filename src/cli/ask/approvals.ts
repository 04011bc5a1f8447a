import stringWidth from 'string-width';
import type { Approval } from '../../client.ts';
import { isObject } from '../../core/content.ts';
import { padded } from '../../tickets/padded.ts';
import { exitCode } from '../exit-codes.ts';
import type { Asking } from './asking.ts';
import { decideWith } from './decide.ts';
import { pagesOf, type Wanted, writeJson } from './pages.ts';
import { moreText } from './print-list.ts';
import { painted, span, ticketOf, valueText, visible } from './shown.ts';
import { wrapped } from './wrapped.ts';

/** The calls that wait for a person, the one that waits longest first, with all that a decision needs. */
export async function listApprovals(asking: Asking, wanted: Wanted): Promise<number> {
  const { client, terminal, json, clock } = asking;
  const pages = pagesOf((page) => client.approvals(page), wanted);
  if (json) {
    await writeJson(pages, terminal.out);
    return exitCode.done;
  }
  let shown = 0;
  for await (const { items, cursor } of pages) {
    for (const approval of items) {
      terminal.out(`${shown === 0 ? '' : '\n'}${approvalText(approval, clock.now(), asking)}`);
      shown += 1;
    }
    if (cursor !== null && wanted.all !== true) {
      terminal.err(moreText(cursor));
    }
  }
  if (shown === 0) terminal.err('Nothing waits for a person.\n');
  return exitCode.done;
}

function approvalText(approval: Approval, nowMs: number, { terminal, endpoint }: Asking): string {
  const { color, width } = terminal;
  const { jobId, callId, tool, agent, batchId, expiresAt } = approval;
  const ticket = ticketOf(approval);
  const facts: readonly (readonly [string, string])[] = [
    ['job', visible(jobId)],
    ['call', visible(callId)],
    ...(ticket === '' ? [] : [['ticket', ticket] as const]),
    ['agent', visible(agent)],
    ...(batchId === null ? [] : [['batch', visible(batchId)] as const]),
    ['expires', expiryText(Date.parse(expiresAt) - nowMs)],
  ];
  const head = painted(visible(tool), 'strong', color);
  return `${head}\n${rowsText(facts, '  ', width)}  arguments\n${rowsText(argumentsOf(approval.input), '    ', width)}${decideWith(jobId, callId, endpoint)}`;
}

const expiryText = (leftMs: number): string => (leftMs > 0 ? `in ${span(leftMs)}` : 'now');

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
