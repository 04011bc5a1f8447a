import type * as z from 'zod';
import type { Tool } from './agent.ts';
import { isObject } from './content.ts';
import { cleanText } from './safe-json.ts';

export type Checked =
  | { readonly ok: true; readonly tool: Tool; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** Checks a call against its tool. The problem is for the model: it names the argument or lists the tools. */
export function checkCall(tools: ReadonlyMap<string, Tool>, name: string, input: unknown): Checked {
  const tool = tools.get(name);
  if (tool === undefined) {
    const names = [...tools.keys()].sort().join(', ');
    return { ok: false, problem: `unknown tool: ${name}. The tools are: ${names || 'none'}` };
  }
  const checked = parseInput(tool.schema, input);
  return checked.ok ? { ok: true, tool, input: checked.raw } : checked;
}

export type AnswerCheck =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** Checks an answer against the agent's output schema, by the same rules as a tool's input. */
export function answerProblem(schema: z.ZodObject, input: unknown): AnswerCheck {
  const checked = parseInput(schema, input);
  return checked.ok ? { ok: true, value: checked.value } : checked;
}

/** Whether a person has to approve this call. A rule that throws means: ask. */
export function needsApproval(tool: Tool, input: unknown): boolean {
  if (tool.gate === undefined) return false;
  try {
    return tool.gate.when(input) !== false;
  } catch {
    return true;
  }
}

type Parsed =
  | {
      readonly ok: true;
      readonly raw: Readonly<Record<string, unknown>>;
      readonly value: Readonly<Record<string, unknown>>;
    }
  | { readonly ok: false; readonly problem: string };

const MAX_NULL_ROUNDS = 5;

/**
 * Parses strictly at the root: an argument that the schema does not name is refused. Where a value that does not fit is
 * `null`, it is taken as absent and parsed again, so that `null` for an optional argument means that it is left out.
 */
function parseInput(schema: z.ZodObject, input: unknown): Parsed {
  if (!isObject(input)) return { ok: false, problem: 'the input must be an object' };
  const strict = schema.strict();
  let raw = input;
  for (let round = 0; ; round += 1) {
    const parsed = strict.safeParse(raw);
    if (parsed.success) return { ok: true, raw, value: parsed.data };
    const nulls = parsed.error.issues.map((issue) => issue.path).filter((path) => isNullAt(raw, path));
    if (nulls.length === 0 || round === MAX_NULL_ROUNDS) {
      return {
        ok: false,
        problem: [...new Set(parsed.error.issues.map((issue) => describe(issue, raw)))].join('; '),
      };
    }
    raw = structuredClone(raw);
    for (const path of nulls) remove(raw, path);
  }
}

type Path = readonly PropertyKey[];

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

function isNullAt(value: unknown, path: Path): boolean {
  return path.length > 0 && typeof path.at(-1) === 'string' && at(value, path) === null;
}

function remove(value: unknown, path: Path): void {
  const holder = at(value, path.slice(0, -1));
  const last = path.at(-1);
  if (isObject(holder) && typeof last === 'string') Reflect.deleteProperty(holder, last);
}

function describe(issue: z.core.$ZodIssue, raw: unknown): string {
  const name = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .map((key) => `unexpected argument: ${[name, key].filter(Boolean).join('.')}`)
      .join('; ');
  }
  const value = at(raw, issue.path);
  if (value === undefined) return `missing argument: ${name}`;
  if (issue.code === 'invalid_type')
    return `argument ${name}: expected ${issue.expected}, got ${kindOf(value)}`;
  return `argument ${name}: ${issue.message}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const MAX_ERROR_CHARACTERS = 500;

/** What a tool threw, as the model reads it: `Name: message`, never empty, at most 500 characters. */
export function errorText(error: unknown): string {
  const text =
    error instanceof Error
      ? `${error.name}: ${error.message.trim() === '' ? 'no message' : error.message}`
      : `Error: ${typeof error === 'string' && error.trim() !== '' ? error : 'no message'}`;
  return [...cleanText(text)].slice(0, MAX_ERROR_CHARACTERS).join('');
}
