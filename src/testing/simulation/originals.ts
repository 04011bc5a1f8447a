import type { ContentBlock } from '../../core/content.ts';
import type { Item } from '../../ports.ts';

/** The content of a stored reply as tools get it: with the originals where the model named any. */
export function plainBlocks(item: Item | undefined): readonly ContentBlock[] {
  const json = item?.['plain'] ?? item?.['reply'];
  return typeof json === 'string' ? (JSON.parse(json) as readonly ContentBlock[]) : [];
}

/** A stored text of ours with what its job hides from the model: the referee's own reading of the first `count` items. */
export function withOriginals(
  text: unknown,
  read: (at: number) => Item | undefined,
  count: number,
): string | undefined {
  if (typeof text !== 'string') return undefined;
  const info = read(1)?.['info'];
  if (typeof info !== 'string' || (JSON.parse(info) as Item)['redact'] === undefined) return text;
  const known = new Map<string, string[]>();
  for (let at = 1; at <= count; at += 1) {
    const hidden = read(at)?.['hidden'];
    if (typeof hidden !== 'string') continue;
    for (const [kind, original] of JSON.parse(hidden) as readonly (readonly [string, string])[])
      known.set(kind, [...(known.get(kind) ?? []), original]);
  }
  return text.replace(/\[(~*)([a-z]+) (\d+)\]/g, (found, marks: string, kind: string, place: string) =>
    marks === '' ? (known.get(kind)?.[Number(place) - 1] ?? found) : `[${marks.slice(1)}${kind} ${place}]`,
  );
}
