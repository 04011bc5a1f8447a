import { readCallId } from '../core/approvals.ts';
import { afterTry, isPending, type Note, noticeId, nudge, type Told, type Tried } from '../core/note.ts';
import type { NoteMessage } from '../core/queue-message.ts';
import type { Notice } from '../ports.ts';
import { callsAt } from './approve.ts';
import type { Handled } from './delivery.ts';
import { sendNotice } from './send.ts';
import type { World } from './world.ts';

/** Clocks of workers may differ by this much: a message this early is not too early. */
const EARLY_MS = 2_000;
/** Commits of one try that may be refused because somebody else wrote in between. */
const MAX_COMMITS = 4;

/**
 * Handles the message of one notice: tells everybody who has not been told, and writes down what came of it. There is no
 * claim: two deliveries at the same instant may both tell, as may the redelivery of one that died before its commit.
 * Receivers hear at least once, and drop repeats by the id.
 */
export async function tell(world: World, message: NoteMessage): Promise<Handled> {
  const note = await world.store.readNote(message.noteOf, message.note);
  if (note === undefined || !isPending(note)) return 'done';
  // A duplicate of an earlier try's message. The note is due anyway, so that nothing is lost by dropping it.
  if (world.clock.now() < note.notBeforeMs - EARLY_MS) return 'done';
  const tried = await tryOnce(world, note);
  const after = await commitTry(world, note, tried);
  if (after === undefined) return 'done';
  report(world, note, after);
  if (isPending(after)) await sendNotice(world, after);
  return 'done';
}

/** Sends the message of an overdue notice again: it was lost, or could not wait for so long in the queue. */
export async function lookAtNotice(world: World, of: string, key: string): Promise<void> {
  const note = await world.store.readNote(of, key);
  const nowMs = world.clock.now();
  if (note === undefined || !isPending(note) || note.du > nowMs) return;
  if ((await world.store.commitNote(nudge(note, nowMs))) === 'committed') await sendNotice(world, note);
}

const never = (problem: string): Told => ({ type: 'never', problem });

async function tryOnce(world: World, note: Note): Promise<Tried> {
  const { events, webhook } = world.notifier;
  const { notice, url } = await noticeOf(world, note);
  const publish = async (): Promise<Told> =>
    events === undefined ? never('this deployment has no event bus') : events.publish(notice);
  const post = async (): Promise<Told> => {
    if (webhook === undefined) return never('this deployment has no webhook secret');
    return url === undefined ? never('the address has been deleted') : webhook.post(url, notice);
  };
  const [event, posted] = await Promise.all([
    note.event === 'due' ? publish() : undefined,
    note.webhook === 'due' ? post() : undefined,
  ]);
  return { event, webhook: posted };
}

/** What is told: the facts of the note, and beside them what never changes about the job. */
async function noticeOf(world: World, note: Note): Promise<{ notice: Notice; url: string | undefined }> {
  const { type, tenant, atMs } = note;
  const data = JSON.parse(note.data) as Readonly<Record<string, unknown>>;
  const notice = { id: noticeId(note), type, tenant, atMs };
  if (type === 'batch.ended') {
    const url = note.webhook === 'due' ? (await world.store.loadBatch(note.of))?.webhook : undefined;
    return { notice: { ...notice, data }, url: url === '' ? undefined : url };
  }
  const asksInfo = note.webhook === 'due' || data['batchId'] !== null;
  const info = asksInfo ? await world.store.readInfo(note.of) : undefined;
  const row = info?.rowId === undefined ? {} : { rowId: info.rowId };
  const tools = note.item === 0 ? {} : { tools: await toolsOf(world, note, data['callIds']) };
  return { notice: { ...notice, data: { ...data, ...row, ...tools } }, url: info?.webhook };
}

/** The names of the tools of the waiting calls, in their order; none for a transcript that was deleted. */
async function toolsOf(world: World, note: Note, callIds: unknown): Promise<readonly string[]> {
  const calls = await callsAt(world, { id: note.of }, note.item);
  const ids: readonly unknown[] = Array.isArray(callIds) ? callIds : [];
  return ids.flatMap((id) => calls[readCallId(String(id))?.place ?? -1]?.name ?? []);
}

/**
 * A try is counted once, on the note as it stands: the reconciler may have sent its message again meanwhile, or another
 * delivery may have tried too; then only what this one knows better is written.
 */
async function commitTry(world: World, note: Note, tried: Tried): Promise<Note | undefined> {
  let from: Note | undefined = note;
  for (let commits = 0; commits < MAX_COMMITS; commits += 1) {
    const next = afterTry(from, tried, world.clock.now(), world.ids.random());
    if ((await world.store.commitNote(next)) === 'committed') return next;
    from = await world.store.readNote(note.of, note.key);
    if (from === undefined || !isPending(from)) return undefined;
    const news = tried.event?.type === 'told' || tried.webhook?.type === 'told';
    if (from.tries !== note.tries && !news) return undefined;
  }
  return undefined;
}

function report(world: World, before: Note, after: Note): void {
  const { of, key, type, tries, problems } = after;
  const fields = { of, note: key, type, tries, ...problems };
  const lost = (['event', 'webhook'] as const).some(
    (way) => before[way] === 'due' && after[way] === 'given_up',
  );
  if (lost) world.log('error', 'a notice was given up', fields);
  else if (isPending(after)) world.log('warn', 'a notice was not taken and is sent again', fields);
}
