/** Throws a sentence that names the prop, what it must be, and what it is. */
export function must(holds: boolean, prop: string, wanted: string, value: unknown): void {
  if (!holds) throw new Error(`AgentWorker: ${prop} must be ${wanted}, not ${shown(value)}`);
}

/** JSON has no word for some numbers, and none for what points at itself, as constructs do. */
function shown(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return 'this object';
  }
}

/** An object with these names and no others. */
export function allowOnly(prop: string, value: object, names: readonly string[]): void {
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other === undefined) return;
  const what = prop === '' ? 'there is no prop' : `${prop} has no`;
  throw new Error(`AgentWorker: ${what} ${other}; there are: ${names.join(', ')}`);
}

/** A construct, told by the field that is read of it: a name or an ARN is easily given in its place. */
export function checkConstruct(prop: string, value: object | undefined, field: string, wanted: string): void {
  if (value === undefined) return;
  const isOne = typeof value === 'object' && value !== null && field in value;
  must(isOne, prop, `${wanted}, a construct`, value);
}

/** One of several kinds of object, which say of which kind they are. */
export function typed(prop: string, value: unknown, types: readonly string[]): void {
  const isObject = typeof value === 'object' && value !== null;
  must(isObject, prop, `an object with a type, ${types.join(' or ')}`, value);
  const { type } = value as { readonly type?: unknown };
  must(types.includes(String(type)), `${prop}.type`, types.join(' or '), type);
}
