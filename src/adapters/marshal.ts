import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../ports.ts';

/**
 * Plain values as DynamoDB attributes: strings, finite numbers, booleans, null, lists and maps. `undefined` is left out.
 * Anything else (NaN, functions, class instances) is a bug of the caller and throws: our formats hold none.
 */
export function marshal(item: Readonly<Record<string, unknown>>): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(item)) {
    if (value !== undefined) attributes[name] = toAttribute(value, name);
  }
  return attributes;
}

function toAttribute(value: unknown, name: string): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number' && Number.isFinite(value)) return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.map((entry) => toAttribute(entry, name)) };
  if (typeof value === 'object') return { M: marshal(value as Readonly<Record<string, unknown>>) };
  throw new TypeError(`attribute ${name}: a ${typeof value} cannot be stored`);
}

export function unmarshal(attributes: Readonly<Record<string, AttributeValue>>): Item {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, fromAttribute(value, name)]),
  );
}

function fromAttribute(value: AttributeValue, name: string): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.NULL !== undefined) return null;
  if (value.L !== undefined) return value.L.map((entry) => fromAttribute(entry, name));
  if (value.M !== undefined) return unmarshal(value.M);
  throw new TypeError(`attribute ${name}: a kind that this code never writes`);
}
