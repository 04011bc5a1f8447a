import type { Item, Notice } from '../../ports.ts';
import type { Court } from './court.ts';
import { type HeadSeen, hasEnded } from './records.ts';

export type Way = 'event' | 'webhook';

/** Something that happened of which others may be told. */
export interface Happening {
  readonly of: string;
  readonly type: Notice['type'];
  readonly tenant: string;
  readonly status: string;
  readonly steps: number | undefined;
  /** It is to be told to an address of its own. */
  readonly webhook: boolean;
  /** The ids under which it was told: one, however often. */
  readonly ids: Set<string>;
  /** Who has heard of it, and who said that they never will. */
  readonly heard: Set<Way>;
  readonly refused: Set<Way>;
  /** How often each was tried. */
  readonly tries: Map<Way, number>;
}

/** Tries before a notice is given up. */
const TRIES = 10;

const keyOf = (type: string, of: string, atMs: number): string => `${type} ${of} ${atMs}`;

type News = Pick<Happening, 'of' | 'type' | 'tenant' | 'status' | 'steps' | 'webhook'>;

function happened({ happenings }: Court, atMs: number, news: News): void {
  const key = keyOf(news.type, news.of, atMs);
  if (happenings.has(key)) return;
  const sets = { ids: new Set<string>(), heard: new Set<Way>(), refused: new Set<Way>() };
  happenings.set(key, { ...news, ...sets, tries: new Map() });
}

const states: Readonly<Record<string, string>> = {
  s: 'succeeded',
  p: 'stopped',
  f: 'failed',
  c: 'cancelled',
};

/** A job has ended, or waits for a person. */
export function noteJobNews(
  court: Court,
  of: string,
  before: HeadSeen | undefined,
  { state, steps, tenant, pending, raw }: HeadSeen,
): void {
  const webhook = raw['wh'] === true;
  if (state === 'w' && pending !== undefined)
    happened(court, pending.sinceMs, {
      ...{ of, type: 'job.awaiting_approval', tenant, webhook },
      ...{ status: 'awaiting_approval', steps },
    });
  const status = states[state];
  if (status === undefined || (before !== undefined && hasEnded(before))) return;
  happened(court, Number(raw['ea']), { of, type: 'job.ended', tenant, status, steps, webhook });
}

/** A batch has ended. */
export function noteBatchNews(court: Court, of: string, before: Item | undefined, after: Item): void {
  const atMs = Number(after['endedAtMs']);
  if (atMs === 0 || before?.['endedAtMs'] === atMs) return;
  const tenant = String(after['lt']).slice('B#'.length);
  const status = String(after['status']);
  const webhook = after['webhook'] !== '';
  happened(court, atMs, { of, type: 'batch.ended', tenant, status, steps: undefined, webhook });
}

function happeningOf(court: Court, { type, data, atMs }: Notice): Happening | undefined {
  return court.happenings.get(
    keyOf(type, String(type === 'batch.ended' ? data['batchId'] : data['jobId']), atMs),
  );
}

/** Somebody is about to be told: only of what has happened, as it was, and always under one id. */
export function telling(court: Court, way: Way, notice: Notice): void {
  const { id, type, tenant, data } = notice;
  const happening = happeningOf(court, notice);
  if (happening === undefined) {
    court.fail('11 notices', id, `others are told ${type}, and it did not happen`);
    return;
  }
  happening.ids.add(id);
  happening.tries.set(way, (happening.tries.get(way) ?? 0) + 1);
  if (happening.ids.size > 1)
    court.fail('11 notices', happening.of, `one ${type} is told as ${[...happening.ids].join(' and ')}`);
  const known = court.told.get(id);
  court.told.set(id, happening);
  if (known !== undefined && known !== happening)
    court.fail('11 notices', happening.of, `two things are told under ${id}`);
  if (happening.tenant !== tenant) court.fail('9 isolation', happening.of, `${tenant} is told of it`);
  if (type === 'job.awaiting_approval') return;
  if (happening.status !== data['status'] || data['steps'] !== happening.steps)
    court.fail(
      '11 notices',
      happening.of,
      `told as ${String(data['status'])} after ${String(data['steps'])} steps, it was ${happening.status} after ${happening.steps}`,
    );
}

export function heard(court: Court, way: Way, notice: Notice): void {
  happeningOf(court, notice)?.heard.add(way);
}

export function refused(court: Court, way: Way, notice: Notice): void {
  happeningOf(court, notice)?.refused.add(way);
}

/** Every end is told to everybody who listens, unless they said never, ten tries were in vain, or the address was deleted. */
export function untoldEnd(court: Court): { readonly jobId: string; readonly what: string } | undefined {
  const { events, webhook } = court.listeners;
  for (const { of, type, ...happening } of court.happenings.values()) {
    if (type === 'job.awaiting_approval') continue;
    const ways: Way[] = [];
    if (events) ways.push('event');
    const gone = court.jobs.get(of)?.head?.raw['dd'] === true;
    if (webhook && happening.webhook && !gone) ways.push('webhook');
    for (const way of ways) {
      const tries = happening.tries.get(way) ?? 0;
      if (happening.heard.has(way) || happening.refused.has(way) || tries >= TRIES) continue;
      return { jobId: of, what: `${type} was tried ${tries} times by ${way}, and nobody heard` };
    }
  }
  return undefined;
}
