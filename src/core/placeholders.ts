import { type Finding, findPrivate, mergeFindings, type PrivateKind, replaceFindings } from './redact.ts';
import { cutText, utf8Bytes } from './safe-json.ts';

/** What a job has hidden from the model so far: each original with the words that stand for it, both ways. */
export interface Originals {
  readonly placeholders: ReadonlyMap<string, string>;
  readonly originals: ReadonlyMap<string, string>;
  readonly counts: Readonly<Partial<Record<PrivateKind, number>>>;
}

export const noOriginals: Originals = { placeholders: new Map(), originals: new Map(), counts: {} };

/** What an item of a transcript was the first to hide, in order. */
type Hidden = readonly (readonly [kind: PrivateKind, original: string])[];

/** Takes in what a stored item has hidden: JSON text, as `Cover.hidden` gives it. */
export function withHidden(known: Originals, hidden: string): Originals {
  const placeholders = new Map(known.placeholders);
  const originals = new Map(known.originals);
  const counts = { ...known.counts };
  for (const [kind, original] of JSON.parse(hidden) as Hidden) {
    const count = (counts[kind] ?? 0) + 1;
    counts[kind] = count;
    placeholders.set(original, `[${kind} ${count}]`);
    originals.set(`[${kind} ${count}]`, original);
  }
  return { placeholders, originals, counts };
}

/**
 * A placeholder, or what looks like one. What was written by somebody else gets one `~` more after its bracket when it
 * is hidden and loses one when it is revealed, so that it is never taken for one of ours.
 */
const lookalike = /\[(~*)((?:card|iban|key|email|phone) \d{1,6}\])/g;

/** Hides what one item says, after what the items before it have hidden. */
export interface Cover {
  /** `json`: where the text is JSON, what is hidden is remembered as the text that JSON stands for. */
  readonly hide: (text: string, json?: boolean) => string;
  /** JSON text of what was hidden here for the first time; undefined for nothing. */
  readonly hidden: () => string | undefined;
  /** All that is hidden so far. */
  readonly originals: () => Originals;
}

/** The same original is always the same placeholder, numbered by its kind in the order of first appearance. */
export function createCover(kinds: readonly PrivateKind[], known: Originals): Cover {
  const added: [PrivateKind, string][] = [];
  const fresh = new Map<string, string>();
  const counts = { ...known.counts };
  const placeholderOf = (kind: PrivateKind, original: string): string => {
    const found = known.placeholders.get(original) ?? fresh.get(original);
    if (found !== undefined) return found;
    const count = (counts[kind] ?? 0) + 1;
    counts[kind] = count;
    added.push([kind, original]);
    fresh.set(original, `[${kind} ${count}]`);
    return `[${kind} ${count}]`;
  };
  const hidden = (): string | undefined => (added.length === 0 ? undefined : JSON.stringify(added));
  return {
    hide: (text, json = false) => {
      const found = findPrivate(text, kinds);
      const here = new Set(
        found.flatMap(({ kind, from, to }) => (kind === 'key' ? text.slice(from, to) : [])),
      );
      const isKey = (word: string): boolean =>
        here.has(word) || (known.placeholders.get(word) ?? fresh.get(word))?.startsWith('[key ') === true;
      const seen = kinds.includes('key') ? seenKeys(text, isKey) : [];
      const findings = mergeFindings([...found, ...seen]);
      return replaceFindings(
        text,
        findings,
        ({ kind, from, to }) => placeholderOf(kind, meantBy(text, text.slice(from, to), json)),
        (piece) => piece.replaceAll(lookalike, '[~$1$2'),
      );
    },
    hidden,
    originals: () => {
      const json = hidden();
      return json === undefined ? known : withHidden(known, json);
    },
  };
}

/** A key that was found by the name before it is known by itself from then on. */
function seenKeys(text: string, isKey: (word: string) => boolean): readonly Finding[] {
  return [...text.matchAll(/[^\s"'`,;&<>(){}\\]{6,}/g)].flatMap(({ index, 0: word }) => {
    const bare = word.replace(/[.:!?]{1,3}$/, '');
    const known = [word, bare].find(isKey);
    return known === undefined ? [] : [{ kind: 'key', from: index, to: index + known.length } as const];
  });
}

/** In a JSON text a line break is two characters; who gets the original back wants the line break. */
function meantBy(text: string, found: string, json: boolean): string {
  if (!json || !found.includes('\\')) return found;
  try {
    JSON.parse(text);
    return String(JSON.parse(`"${found}"`));
  } catch {
    return found;
  }
}

/** Puts the originals back. A placeholder that the job does not know is somebody's own words and stays. */
export function reveal(text: string, { originals }: Originals): string {
  return text.replaceAll(lookalike, (found, tildes: string, rest: string) =>
    tildes === '' ? (originals.get(found) ?? found) : `[${tildes.slice(1)}${rest}`,
  );
}

/** The same inside the texts and names of a JSON text. No placeholder holds what JSON would escape. */
export function revealJson(json: string, { originals }: Originals): string {
  return json.replaceAll(lookalike, (found, tildes: string, rest: string) => {
    if (tildes !== '') return `[${tildes.slice(1)}${rest}`;
    const original = originals.get(found);
    return original === undefined ? found : JSON.stringify(original).slice(1, -1);
  });
}

const CUT_NOTE = /\n\[cut: (\d+) of (\d+) bytes left out\]$/;
/** As long as most of what can be hidden: half of it would not be found. */
const EDGE_CHARACTERS = 100;
/** Where the text of an error is cut, without a note. */
const ERROR_CHARACTERS = 500;

/**
 * A tool's result as the model may read it, within `maxBytes` or as long as it was. What a cut has left of a card or an
 * address is no card any more, so the last characters before a cut are left out as well.
 */
export function coverResult(cover: Cover, text: string, isError: boolean, maxBytes: number): string {
  const covered = cover.hide(withoutEdge(text, isError), !isError);
  return covered === text ? text : cutText(covered, Math.max(maxBytes, utf8Bytes(text))).text;
}

function withoutEdge(text: string, isError: boolean): string {
  const note = CUT_NOTE.exec(text.slice(-100));
  if (note !== null) {
    const body = text.slice(0, text.length - note[0].length);
    const kept = body.slice(0, Math.max(0, body.length - EDGE_CHARACTERS)).toWellFormed();
    const left = Number(note[1]) + utf8Bytes(body) - utf8Bytes(kept);
    return `${kept}\n[cut: ${left} of ${note[2]} bytes left out]`;
  }
  if (!isError || text.length < ERROR_CHARACTERS || [...text].length !== ERROR_CHARACTERS) return text;
  return `${text.slice(0, -EDGE_CHARACTERS).toWellFormed()}…`;
}
