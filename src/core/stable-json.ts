type Piece = { readonly text: string } | { readonly value: unknown };

/**
 * JSON text with sorted keys: equal for equal data, whatever the order of its keys, and different for different data.
 * For hashes. What JSON cannot hold is left out of objects and null in lists; a BigInt is its digits.
 * Works off a list of its own, so that no depth of nesting, which may come from outside, can exhaust the stack.
 */
export function stableJson(value: unknown): string {
  const parts: string[] = [];
  const todo: Piece[] = [{ value }];
  for (let piece = todo.pop(); piece !== undefined; piece = todo.pop()) {
    if ('text' in piece) {
      parts.push(piece.text);
    } else {
      for (const inner of piecesOf(piece.value).reverse()) todo.push(inner);
    }
  }
  return parts.join('');
}

function piecesOf(value: unknown): Piece[] {
  if (typeof value === 'bigint') return [{ text: value.toString() }];
  if (typeof value !== 'object' || value === null) return [{ text: JSON.stringify(value) ?? 'null' }];
  if (Array.isArray(value)) return wrapped('[', ']', value, (entry) => [{ value: entry }]);
  if ('toJSON' in value && typeof value.toJSON === 'function') return [{ value: value.toJSON() }];
  const entries = Object.entries(value)
    .filter(([, entry]) => !['undefined', 'function', 'symbol'].includes(typeof entry))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return wrapped('{', '}', entries, ([name, entry]) => [
    { text: `${JSON.stringify(name)}:` },
    { value: entry },
  ]);
}

function wrapped<Entry>(
  open: string,
  close: string,
  entries: readonly Entry[],
  pieces: (entry: Entry) => readonly Piece[],
): Piece[] {
  const inside = entries.flatMap((entry, at) =>
    at === 0 ? pieces(entry) : [{ text: ',' }, ...pieces(entry)],
  );
  return [{ text: open }, ...inside, { text: close }];
}
