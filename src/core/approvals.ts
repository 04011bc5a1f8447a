import type { Tool } from './agent.ts';
import type { ToolCall } from './content.ts';
import type { Pending } from './job.ts';

/** The state of one call of a reply (see `Pending`). */
export type Letter = 'R' | 'W' | 'A' | 'D' | 'X' | 'V';

/** The id by which people name a call: the birth fence of its reply and its place, never the model's own id. */
export function callId(born: number, place: number): string {
  return `call_${born}_${place}`;
}

/** Undefined for text that is no id of ours. */
export function readCallId(id: string): { readonly born: number; readonly place: number } | undefined {
  const parts = /^call_(\d{1,15})_(\d{1,6})$/.exec(id);
  return parts === null ? undefined : { born: Number(parts[1]), place: Number(parts[2]) };
}

/** When a waiting call expires, in epoch milliseconds: each counts from when it was asked. */
export function expiryOf(pending: Pending, tool: Tool | undefined): number {
  return pending.sinceMs + (tool?.gate?.expiresInSeconds ?? 0) * 1000;
}

/** The earliest expiry among the calls that still wait; 0 for none. */
export function earliestExpiry(
  pending: Pending,
  states: string,
  calls: readonly ToolCall[],
  tools: ReadonlyMap<string, Tool>,
): number {
  const times = calls.flatMap((call, place) =>
    states[place] === 'W' ? [expiryOf(pending, tools.get(call.name))] : [],
  );
  return times.length === 0 ? 0 : Math.min(...times);
}
