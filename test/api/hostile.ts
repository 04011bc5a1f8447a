import fc from 'fast-check';

/** Names and values that have broken parsers elsewhere. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    ...['', ' ', '\u0000', '\ud800', '__proto__', 'constructor', 'toString', '../../etc/passwd', '%00', '%'],
    ...['{{7*7}}', '#{7*7}', "' OR 1=1 --", '<script>', 'null', 'NaN', '1e999', '-0', 'x'.repeat(5_000)],
  ),
);

const hostileNumber = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -1, 0.5, 1e-7, 1e21, Number.MAX_SAFE_INTEGER + 1, Number.MIN_VALUE),
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom(null, true, false, [], {}, [[]], { a: { b: {} } }),
  fc.jsonValue({ maxDepth: 6 }),
);

/** An object whose properties are mostly right, some hostile, some unknown; `required` ones are mostly there. */
export function mostly(
  right: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  required: readonly string[] = [],
): fc.Arbitrary<object> {
  const entries = Object.entries(right).map(([name, value]) => [
    name,
    fc.oneof({ arbitrary: value, weight: 12 }, { arbitrary: hostileValue, weight: 1 }),
  ]);
  const shape: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(entries);
  const unknown = fc.dictionary(hostileText, hostileValue, { maxKeys: 2 });
  return fc
    .tuple(
      fc.oneof(
        { arbitrary: fc.record(shape, { requiredKeys: [...required] }), weight: 8 },
        { arbitrary: fc.record(shape, { requiredKeys: [] }), weight: 1 },
      ),
      fc.oneof({ arbitrary: fc.constant({}), weight: 6 }, { arbitrary: unknown, weight: 1 }),
    )
    .map(([known, more]) => ({ ...known, ...more }));
}
