/** What a caller left out is absent, not undefined. */
export function definedOnly<T extends object>(value: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}
