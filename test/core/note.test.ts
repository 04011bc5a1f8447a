import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../src/core/job.ts';
import { afterTry, isPending, type Note, newNote, noticeId, nudge, readNote } from '../../src/core/note.ts';
import { noteOfJob } from '../../src/core/note-of.ts';
import { readQueueMessage } from '../../src/core/queue-message.ts';
import { aJob, NOW } from '../support/a-job.ts';

const DAY_MS = 86_400_000;
const again = { type: 'again', problem: 'status 503' } as const;
const told = { type: 'told' } as const;
const never = { type: 'never', problem: 'status 410' } as const;

const aNote = (changes: Partial<Note> = {}): Note => ({
  ...newNote(
    {
      ...{ of: 'job_1', key: 'ended-3', type: 'job.ended', tenant: 'default', atMs: NOW, item: 0 },
      ...{ data: {}, events: true, webhook: true },
    },
    NOW,
  ),
  ...changes,
});

describe('a note', () => {
  it.each([
    ['the bus first', { event: told, webhook: again }, 'told', 'due'],
    ['nobody', { event: again, webhook: again }, 'due', 'due'],
    ['the one that can be', { event: told, webhook: never }, 'told', 'given_up'],
    ['everybody', { event: told, webhook: told }, 'told', 'told'],
  ] as const)('that reached %s is told or tried again by that alone', (_, tried, event, webhook) => {
    const after = afterTry(aNote(), tried, NOW, 0.5);
    expect(after).toMatchObject({ event, webhook, tries: 1, version: 2 });
    expect(after.du > 0).toBe(isPending(after));
  });

  it.each([0, 0.999_999])('is tried ten times, never in a hurry and all within a day (%d)', (random) => {
    let note = aNote();
    let nowMs = NOW;
    const waits: number[] = [];
    for (; isPending(note); nowMs = note.notBeforeMs) {
      note = afterTry(note, { event: again, webhook: again }, nowMs, random);
      if (isPending(note)) waits.push(note.notBeforeMs - nowMs);
    }
    expect(note).toMatchObject({ tries: 10, event: 'given_up', webhook: 'given_up', du: 0 });
    expect(waits).toHaveLength(9);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(DAY_MS - 3_600_000);
  });

  it('is due when it may be tried if no message can wait that long, and some time after its message else', () => {
    const short = afterTry(aNote({ tries: 3 }), { webhook: again }, NOW, 0.5);
    expect(short.notBeforeMs).toBe(NOW + 600_000);
    expect(short.du).toBeGreaterThan(short.notBeforeMs + 30_000);
    const long = afterTry(aNote({ tries: 4 }), { webhook: again }, NOW, 0.5);
    expect([long.notBeforeMs, long.du]).toEqual([NOW + 1_800_000, NOW + 1_800_000]);
  });

  it('is looked at less and less often while its message does not come', () => {
    const first = nudge(aNote(), NOW);
    expect([first.du, nudge(first, NOW).du, nudge(aNote({ nudges: 9 }), NOW).du]).toEqual([
      ...[NOW + 30_000, NOW + 60_000, NOW + 900_000],
    ]);
  });

  it('keeps why a way was given up while the other is tried again', () => {
    const first = afterTry(aNote(), { event: never, webhook: again }, NOW, 0.5);
    const second = afterTry(first, { webhook: told }, NOW, 0.5);
    expect(second.problems).toEqual({ event: 'status 410' });
  });

  it('has one key for one end, whatever the bookkeeping writes, and another for the next', () => {
    const stop = { reason: 'max_steps', detail: '' } as const;
    const ended = aJob({ status: { type: 'stopped', stop }, turn: 4, fence: 3, endedAtMs: NOW });
    const keyOf = (changes: Partial<Job>) => noteOfJob({ ...ended, ...changes }, true, NOW + 5)?.key;
    const key = keyOf({});
    expect(key).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
    expect(keyOf({ version: 9, fence: 4, dueAtMs: 0, updatedAtMs: NOW + 5, deleted: true })).toBe(key);
    expect(keyOf({ turn: 5 })).not.toBe(key);
    expect(keyOf({ endedAtMs: NOW + 1 })).not.toBe(key);
  });

  it('is made of no job that goes on, and of none that nobody is told of', () => {
    expect(noteOfJob(aJob({ webhook: true }), true, NOW)).toBeUndefined();
    const status = { type: 'succeeded', stop: { reason: 'completed', detail: '' } } as const;
    expect(noteOfJob(aJob({ status }), false, NOW)).toBeUndefined();
    expect(noteOfJob(aJob({ status, webhook: true }), false, NOW)).toMatchObject({ event: 'none' });
    expect(noteOfJob(aJob({ status }), true, NOW)).toMatchObject({ webhook: 'none' });
  });

  it('is known by an id without a full stop, and by a message of ours', () => {
    expect(noticeId(aNote())).toBe('job_1-ended-3');
    const message = { v: 1, noteOf: `job_${'a'.repeat(22)}`, note: 'waiting-123456' };
    expect(readQueueMessage(JSON.stringify(message))).toEqual({ type: 'message', message });
  });

  it('of version 1 is read by today’s code, and a newer one is refused', () => {
    const stored = JSON.parse(readFileSync(new URL('../fixtures/note-v1.json', import.meta.url), 'utf8'));
    const note = readNote('job_1', 'waiting-3', stored);
    expect(note).toMatchObject({ of: 'job_1', key: 'waiting-3', webhook: 'due', tries: 2 });
    expect(note.du).toBe(1_800_000_090_000);
    expect(() => readNote('job_1', 'waiting-3', { ...stored, v: 2 })).toThrow(/version 2 stored/);
  });
});
