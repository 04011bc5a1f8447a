import type { Json } from '../core/agent.ts';
import { isObject } from '../core/content.ts';
import { utf8Bytes } from '../core/safe-json.ts';
import { stableJson } from '../core/stable-json.ts';

/** One row as somebody gives it. */
export interface NewRow {
  /** The row's id as its owner knows it. */
  readonly id: string;
  /** Where it stood in the source, from 1; 0 when it came by a call. */
  readonly line: number;
  readonly input: string;
  readonly metadata: Readonly<Record<string, Json>>;
  /** Given for a row with nothing to ask a model about. */
  readonly output?: Json;
}

/** A row that is not taken, and why. The id is empty where none could be read. */
export interface RefusedRow {
  readonly id: string;
  readonly reason: string;
}

/** UTF-8 bytes. */
const MAX_INPUT_BYTES = 262_144;
const MAX_METADATA_BYTES = 65_536;
const MAX_ID_CHARACTERS = 256;

const names: ReadonlySet<string> = new Set(['id', 'input', 'metadata']);
/** Nothing that a person cannot see, and at least one thing that a person can. */
const visible = /^(?=.*\S)[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u;

/** A row of a call as it may be stored, or why it is refused. Never throws, and quotes nothing of what the row holds. */
export function checkRow(row: unknown): NewRow | RefusedRow {
  if (!isObject(row)) return { id: '', reason: 'a row must be an object: {id, input, metadata?}' };
  const { id } = row;
  if (typeof id !== 'string' || [...id].length > MAX_ID_CHARACTERS || !visible.test(id)) {
    return { id: '', reason: `id: it must be text of 1 to ${MAX_ID_CHARACTERS} visible characters` };
  }
  const other = Object.keys(row).find((name) => !names.has(name));
  if (other !== undefined) return { id, reason: 'a row has id, input and metadata, and nothing else' };
  const input = textOf(row['input']);
  if (input === undefined) return { id, reason: 'input: it must be text or a JSON object' };
  const bytes = utf8Bytes(input);
  if (bytes > MAX_INPUT_BYTES) {
    return { id, reason: `input: ${bytes} bytes, the most is ${MAX_INPUT_BYTES}` };
  }
  const metadata = row['metadata'] ?? {};
  const json = typeof metadata === 'string' ? undefined : textOf(metadata);
  if (json === undefined) return { id, reason: 'metadata: it must be a JSON object' };
  const size = utf8Bytes(json);
  if (size > MAX_METADATA_BYTES) {
    return { id, reason: `metadata: ${size} bytes, the most is ${MAX_METADATA_BYTES}` };
  }
  return { id, line: 0, input, metadata: metadata as NewRow['metadata'] };
}

/** An object as its JSON text, its keys in order: what a job's input is, whoever wrote it. Undefined for what is neither text nor an object. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return undefined;
  try {
    // Throws for what JSON cannot hold, which the other would never come to the end of.
    JSON.stringify(value);
    return stableJson(value);
  } catch {
    return undefined;
  }
}
