import * as z from 'zod';
import type { Tool } from './agent.ts';
import { isObject } from './content.ts';
import { cleanText, errorLine } from './safe-json.ts';

export type Checked =
  | { readonly ok: true; readonly tool: Tool; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** Checks a call against its tool. The problem is for the model: it names the argument or lists the tools. */
export function checkCall(tools: ReadonlyMap<string, Tool>, name: string, input: unknown): Checked {
  const tool = tools.get(name);
  if (tool === undefined) {
    const names = [...tools.keys()].sort().join(', ');
    return { ok: false, problem: `unknown tool: ${short(name)}. The tools are: ${names || 'none'}` };
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
 * Parses strictly at the root: an argument that the schema does not name is refused. Deeper down the schema's own rule
 * holds: `z.strictObject` refuses unknown keys, `z.object` passes them over and the tool never sees them. Where a value
 * that does not fit is `null`, it is taken as absent and parsed again, so that `null` for an optional argument means that
 * it is left out; a null in a list stays, because without it the others would move, and so does one in a plain union,
 * which does not tell what it found.
 */
function parseInput(schema: z.ZodObject, input: unknown): Parsed {
  if (!isObject(input)) return { ok: false, problem: 'the input must be an object' };
  const strict = schema.strict();
  let raw = input;
  try {
    for (let round = 0; ; round += 1) {
      const parsed = strict.safeParse(raw, { error: typeMessage });
      if (parsed.success) return { ok: true, raw, value: parsed.data };
      const { issues } = parsed.error;
      const nulls = issues.filter((issue) => isMisplacedNull(issue, raw));
      if (nulls.length === 0 || round === MAX_NULL_ROUNDS) {
        return { ok: false, problem: problemOf(issues, raw) };
      }
      raw = structuredClone(raw);
      for (const { path } of nulls) remove(raw, path);
    }
  } catch (error) {
    // An author's own rule threw, or the nesting is deeper than the stack.
    return { ok: false, problem: `the input could not be checked: ${errorText(error)}` };
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

/** An author's own rule (`custom`) may refuse a null that the type allows: that one is a value. */
function isMisplacedNull({ code, path }: z.core.$ZodIssue, raw: unknown): boolean {
  return code !== 'custom' && typeof path.at(-1) === 'string' && at(raw, path) === null;
}

function remove(value: unknown, path: Path): void {
  const holder = at(value, path.slice(0, -1));
  const last = path.at(-1);
  if (isObject(holder) && last !== undefined) Reflect.deleteProperty(holder, last);
}

const MAX_PROBLEMS = 10;

function problemOf(issues: readonly z.core.$ZodIssue[], raw: unknown): string {
  const problems = [...new Set(issues.flatMap((issue) => describe(issue, raw)))];
  const more = problems.length - MAX_PROBLEMS;
  return [...problems.slice(0, MAX_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function describe(issue: z.core.$ZodIssue, raw: unknown): readonly string[] {
  const name = short(issue.path.map(String).join('.'));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) => `unexpected argument: ${short([...issue.path, key].map(String).join('.'))}`,
    );
  }
  const message = short(issue.message, MAX_MESSAGE_CHARACTERS);
  if (issue.path.length === 0) return [`the input is not valid: ${message}`];
  // A rule of the author's may point at an argument that is rightly absent.
  const value = at(raw, issue.path);
  if (value === undefined && issue.code !== 'custom') return [`missing argument: ${name}`];
  return [`argument ${name}: ${message}`];
}

/** In the words of JSON Schema, which the model was given; an author's own message comes before this one. */
function typeMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  const whole = issue.expected === 'int' || (issue.inst instanceof z.ZodNumber && issue.inst.isInt);
  return `expected ${whole ? 'integer' : issue.expected}, got ${kindOf(issue.input)}`;
}

const MAX_NAME_CHARACTERS = 100;
/** Room for the options of an enum. */
const MAX_MESSAGE_CHARACTERS = 400;

/** Names come from the model, and a thousand characters of one help nobody. */
function short(text: string, max = MAX_NAME_CHARACTERS): string {
  const clean = cleanText(text.slice(0, max));
  return text.length > max ? `${clean}…` : clean;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const MAX_ERROR_CHARACTERS = 500;

/** What a tool threw, as the model reads it: `Name: message`, never empty, at most 500 characters. Never throws. */
export function errorText(error: unknown): string {
  // Cut twice: the first bounds the work, the second counts whole characters.
  const start = cleanText(errorLine(error).slice(0, 2 * MAX_ERROR_CHARACTERS));
  return [...start].slice(0, MAX_ERROR_CHARACTERS).join('');
}
