import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createNewestRows } from '../../src/tickets/newest.ts';

const ids = ['a', 'b', '__proto__'];
const times = [
  '2026-01-02',
  '2026-01-01T10:00:00+14:00',
  '13/01/2025',
  '01/02/2025',
  'soon',
  'later',
  '1e',
  '-',
];

/** As it would be with everything in memory: a time that cannot be read is older than any that can. */
function isLater(one: string, other: string): boolean {
  const [a, b] = [one, other].map((time) => {
    const [, day, month, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(time) ?? [];
    return Date.parse(day === undefined ? time : `${year}-${month}-${day}T00:00:00`);
  });
  if (a === undefined || b === undefined) return false;
  if (Number.isNaN(a) && Number.isNaN(b)) return one > other;
  return Number.isNaN(b) || a > b;
}

it('names the newest row of each id, as if all rows were held', () => {
  const row = fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...times));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
      const newest = createNewestRows(true);
      const held = new Map<string, { readonly line: number; readonly updated: string }>();
      for (const [line, [id, updated]] of rows.entries()) {
        newest.note(id, line, updated);
        const before = held.get(id);
        if (before === undefined || isLater(updated, before.updated)) held.set(id, { line, updated });
      }
      for (const id of ids) {
        for (const updated of [...times, '']) {
          const counts = held.get(id);
          const expected = counts === undefined || counts.updated === updated ? undefined : counts.line;
          expect(newest.insteadOf(id, updated)).toBe(expected);
        }
      }
    }),
  );
});
