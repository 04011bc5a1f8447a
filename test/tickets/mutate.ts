import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import iconv from 'iconv-lite';
import type { Random } from '../../src/testing/random.ts';
import { delimiterOf } from '../../src/tickets/csv-rows.ts';

export interface Mutant {
  readonly bytes: Buffer;
  /** What must be as before: each row with its line, the rows in any order of columns, their number, or nothing. */
  readonly same: 'rows' | 'tickets' | 'number' | 'nothing';
}

type Mutation = (bytes: Buffer, name: string, random: Random) => Mutant;

const isCsv = (name: string): boolean => name.endsWith('.csv');
const textOf = (bytes: Buffer): string => {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  return text.includes('\ufffd') ? iconv.decode(bytes, 'windows-1252') : text;
};

function shuffled<T>(list: readonly T[], random: Random): readonly T[] {
  return list
    .map((item) => ({ item, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

/** The cells of delimited text, or undefined where the file has rows of its own making that a rewrite would mend. */
function cellsOf(bytes: Buffer): { readonly rows: readonly string[][]; readonly delimiter: string } {
  const text = textOf(bytes);
  const delimiter = delimiterOf(text);
  return { rows: parse(text, { delimiter, relax_column_count: true, relax_quotes: true }), delimiter };
}

/** Columns of one name keep their order: which comes first is part of what they say. */
function shuffledColumns(bytes: Buffer, random: Random): Buffer {
  const { rows, delimiter } = cellsOf(bytes);
  const names = (rows[0] ?? []).map((name) => name.replace(/_\d$/, ''));
  const slots = shuffled([...names.keys()], random);
  const places = new Map<string, number[]>();
  for (const [at, name] of names.entries()) places.set(name, [...(places.get(name) ?? []), at]);
  const order = slots.map((slot) => places.get(names[slot] ?? '')?.shift() ?? slot);
  const written = rows.map((row) => order.map((at) => row[at] ?? ''));
  return Buffer.from(stringify(written, { delimiter, quoted: true }));
}

/** The members of every row in another order. */
function shuffledMembers(text: string, random: Random): string {
  const row = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(shuffled(Object.entries(value), random))
      : value;
  const whole: unknown = JSON.parse(text);
  if (Array.isArray(whole)) return JSON.stringify(whole.map(row));
  if (typeof whole !== 'object' || whole === null) return text;
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(whole).map(([name, value]) => [name, Array.isArray(value) ? value.map(row) : value]),
    ),
  );
}

const at = (bytes: Buffer, random: Random): number => random.whole(0, Math.max(0, bytes.length - 1));

const keeping: readonly Mutation[] = [
  (bytes) => ({
    bytes: Buffer.concat([Buffer.from([0xff, 0xfe]), iconv.encode(textOf(bytes), 'utf-16le')]),
    same: 'rows',
  }),
  (bytes) => ({ bytes: iconv.encode(textOf(bytes), 'utf-16be', { addBOM: true }), same: 'rows' }),
  (bytes) => ({ bytes: iconv.encode(textOf(bytes), 'utf8', { addBOM: true }), same: 'rows' }),
  (bytes) => {
    const text = textOf(bytes);
    const narrow = iconv.encode(text, 'windows-1252');
    const fits = iconv.decode(narrow, 'windows-1252') === text;
    return { bytes: fits ? narrow : Buffer.from(text), same: 'rows' };
  },
  (bytes) => ({ bytes: Buffer.from(textOf(bytes).replaceAll(/\r\n|\n/g, '\r\n')), same: 'rows' }),
  (bytes) => ({ bytes: Buffer.from(textOf(bytes).replaceAll('\r\n', '\n')), same: 'rows' }),
  (bytes, name, random) => {
    if (isCsv(name)) return { bytes: shuffledColumns(bytes, random), same: 'tickets' };
    if (name.endsWith('.json'))
      return { bytes: Buffer.from(shuffledMembers(textOf(bytes), random)), same: 'tickets' };
    return { bytes, same: 'rows' };
  },
  (bytes, name, random) => {
    if (!isCsv(name)) return { bytes, same: 'rows' };
    const { rows, delimiter } = cellsOf(bytes);
    const [header = [], ...others] = rows;
    return {
      bytes: Buffer.from(stringify([header, ...shuffled(others, random)], { delimiter, quoted: true })),
      same: 'number',
    };
  },
];

const breaking: readonly Mutation[] = [
  (bytes, _, random) => ({ bytes: bytes.subarray(0, at(bytes, random)), same: 'nothing' }),
  (bytes, _, random) => ({ bytes: bytes.subarray(at(bytes, random)), same: 'nothing' }),
  (bytes, _, random) => {
    const flipped = Buffer.from(bytes);
    for (let left = random.whole(1, 12); left > 0; left -= 1)
      flipped[at(bytes, random)] = random.whole(0, 255);
    return { bytes: flipped, same: 'nothing' };
  },
  (bytes, _, random) => withText(bytes, '"', '""', random),
  (bytes, name, random) => withText(bytes, isCsv(name) ? delimiterOf(textOf(bytes)) : ',', '', random),
  (bytes, _, random) => withText(bytes, '\n', random.pick(['\r', '\n\n', '', '\n\r', '\u2028']), random),
  (bytes, _, random) => withText(bytes, random.pick(['{', '}', '[', ']', ':', '<', '>']), '', random),
  (bytes, _, random) => {
    const from = at(bytes, random);
    const piece = bytes.subarray(from, from + random.whole(1, 400));
    const to = at(bytes, random);
    return { bytes: Buffer.concat([bytes.subarray(0, to), piece, bytes.subarray(to)]), same: 'nothing' };
  },
  (bytes, _, random) => ({
    bytes: Buffer.concat([bytes, bytes.subarray(at(bytes, random))]),
    same: 'nothing',
  }),
  (bytes) => ({ bytes: iconv.encode(textOf(bytes), 'shift_jis'), same: 'nothing' }),
];

/** Some of the places where `found` stands, written otherwise. */
function withText(bytes: Buffer, found: string, instead: string, random: Random): Mutant {
  const share = random.pick([0.02, 0.3, 1]);
  const text = bytes
    .toString('utf8')
    .split(found)
    .reduce((before, part) => before + (random.chance(share) ? instead : found) + part);
  return { bytes: Buffer.from(text), same: 'nothing' };
}

/** A file as it may come out of somebody's hands. Half of the ways keep its rows whole. */
export function mutate(bytes: Buffer, name: string, random: Random): Mutant {
  return random.pick(random.chance(0.5) ? keeping : breaking)(bytes, name, random);
}
