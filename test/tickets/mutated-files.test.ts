import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TerminalError } from '../../src/core/errors.ts';
import { createRandom } from '../../src/testing/random.ts';
import { emptyTally, type RowOutcome, tally } from '../../src/tickets/row.ts';
import { type Mutant, mutate } from './mutate.ts';
import { acceptedOf, readAll } from './read-all.ts';

/** `TREADLE_MUTATED_FILES=50000` looks longer. */
const FILES = Number(process.env['TREADLE_MUTATED_FILES'] ?? 1000);
const codes = ['unreadable_encoding', 'unreadable_json', 'unreadable_csv', 'file_too_large'];

const files = ['../fixtures/shapes/', '../field/inputs/'].flatMap((path) => {
  const folder = new URL(path, import.meta.url);
  return readdirSync(folder).map((name) => ({ name, bytes: readFileSync(new URL(name, folder)) }));
});

/** What a row became, without its place and without the order of its columns. */
function becameOf(outcome: RowOutcome): unknown {
  if (outcome.type !== 'accepted') return { type: outcome.type };
  const { ticket, fields } = outcome;
  const { tags = [], ...others } = ticket;
  return {
    ...outcome,
    line: 0,
    item: 0,
    ticket: { ...others, tags: [...tags].sort() },
    fields: Object.entries(fields).sort(),
  };
}

/** Every row is counted once, its line is in the file, no ticket is there twice, and none is lost without a word. */
function checkSums(outcomes: readonly RowOutcome[], { bytes }: Mutant): void {
  const { read, accepted, rejected, skipped, duplicates } = outcomes.reduce(tally, emptyTally);
  expect(read).toBe(outcomes.length);
  expect(accepted + rejected + skipped + duplicates).toBe(read);
  const ids = acceptedOf(outcomes).map(({ ticket }) => ticket.id);
  expect(new Set(ids).size).toBe(accepted);
  const places = outcomes.map(({ line }) => line);
  expect([...places].sort((one, other) => one - other)).toEqual(places);
  expect(places.every((line) => line >= 1 && line <= bytes.length + 1)).toBe(true);
  for (const outcome of outcomes) {
    if (outcome.type === 'rejected') expect(outcome.reason).not.toBe('');
    if (outcome.type === 'duplicate') expect(places).toContain(outcome.ofLine);
  }
}

function checkSame(
  outcomes: readonly RowOutcome[],
  before: readonly RowOutcome[],
  same: Mutant['same'],
): void {
  if (same === 'rows') expect(outcomes.map(withoutRaw)).toEqual(before.map(withoutRaw));
  if (same === 'tickets') expect(outcomes.map(becameOf)).toEqual(before.map(becameOf));
  if (same === 'number') {
    const sum = (rows: readonly RowOutcome[]) => rows.reduce(tally, emptyTally);
    expect(sum(outcomes)).toEqual(sum(before));
  }
}

const withoutRaw = (outcome: RowOutcome): unknown => ({ ...outcome, raw: '', item: 0 });

it(`reads ${FILES} mutated files without a crash, and loses no row without a word`, async () => {
  const before = await Promise.all(files.map(({ name, bytes }) => readAll(bytes, name)));
  const refused = new Map<string, number>();
  for (let seed = 0; seed < FILES; seed += 1) {
    const random = createRandom(seed);
    const which = random.whole(0, files.length - 1);
    const { name = '', bytes = Buffer.from('') } = files[which] ?? {};
    const mutant = mutate(bytes, name, random);
    try {
      const outcomes = await readAll(mutant.bytes, name);
      checkSums(outcomes, mutant);
      checkSame(outcomes, before[which] ?? [], mutant.same);
    } catch (error) {
      if (!(error instanceof TerminalError) || mutant.same !== 'nothing' || !codes.includes(error.code)) {
        throw new Error(`seed ${seed}, ${name}`, { cause: error });
      }
      refused.set(error.code, (refused.get(error.code) ?? 0) + 1);
    }
  }
  // Most are read all the same; a test in which everything is refused would show nothing.
  const sum = [...refused.values()].reduce((one, other) => one + other, 0);
  expect(sum).toBeLessThan(FILES * 0.2);
});
