import * as z from 'zod';
import { TerminalError } from './errors.ts';
import { type PrivateKind, privateKinds } from './redact.ts';

/** What a tool may rely on when the same call is made again after a crash. */
export type Policy = 'pure' | 'idempotent' | 'once';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What a tool gets beside its input. */
export interface ToolContext {
  /** The same on every attempt of this call, and of no other call. Opaque. */
  readonly idempotencyKey: string;
  /** Aborted at the tool's time-out and when the job is cancelled (never for a `once` tool by a cancel). */
  readonly signal: AbortSignal;
  readonly jobId: string;
  readonly tenant: string;
  readonly metadata: Readonly<Record<string, Json>>;
  /** One structured log line; never put ticket text in it. */
  readonly log: (message: string, fields?: Readonly<Record<string, Json>>) => void;
}

/** What `check` may say of a call that a crash left half-done: only `done: true` counts. */
export type CheckResult =
  | { readonly done: true; readonly result: unknown }
  | { readonly done: false }
  | undefined;

export type ApprovalRule<Input> =
  | boolean
  | ((input: Input) => boolean)
  | {
      /** Which inputs need a person. @default every input */
      readonly when?: (input: Input) => boolean;
      /** How long a person may take, in seconds, 1 to 31 days. @default 259200 (72 h) */
      readonly expiresInSeconds?: number;
      /** What happens when nobody decides in time. @default 'deny' */
      readonly onExpiry?: 'deny' | 'stop';
    };

export interface ToolDefinition<Schema extends z.ZodObject> {
  /** 1 to 64 characters of `[a-zA-Z0-9_-]`. */
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  /** @default 'once' */
  readonly policy?: Policy;
  /** @default false */
  readonly approval?: ApprovalRule<z.output<Schema>>;
  /** Whole seconds, 1 to 840. @default 30 */
  readonly timeoutSeconds?: number;
  /** UTF-8 bytes of the result that reach the model, 100 to 1,000,000; of a `once` tool to 300,000. @default 20000 */
  readonly maxResultBytes?: number;
  readonly run: (input: z.output<Schema>, context: ToolContext) => unknown;
  /** Asked after a crash, before a `once` call is given up as unknown. */
  readonly check?: (input: z.output<Schema>, context: ToolContext) => CheckResult | Promise<CheckResult>;
}

export interface Gate {
  /** Throws what the author's function throws; the caller reads a throw as "ask a person". */
  readonly when: (input: unknown) => boolean;
  readonly expiresInSeconds: number;
  readonly onExpiry: 'deny' | 'stop';
}

/** A tool as the loop sees it: its input type is erased, `parse` brings it back. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly policy: Policy;
  readonly gate: Gate | undefined;
  readonly timeoutSeconds: number;
  readonly maxResultBytes: number;
  /** `input` is raw and valid by `schema`. */
  readonly run: (input: unknown, context: ToolContext) => unknown;
  readonly check: ((input: unknown, context: ToolContext) => CheckResult | Promise<CheckResult>) | undefined;
}

export interface AgentLimits {
  /** Committed model replies, whole, >= 1. @default 12 */
  readonly maxSteps: number;
  /** US dollars, > 0. @default 0.25 */
  readonly maxCostUsd: number;
  /** Tokens of all four kinds, whole, >= 1. @default 200000 */
  readonly maxTokens: number;
  /** Steps in a row with a failed tool or an unusable reply, whole, >= 1. @default 3 */
  readonly maxConsecutiveFailures: number;
  /** Seconds from submission, without the time spent waiting for a person. @default 86400 */
  readonly timeoutSeconds: number;
}

export const defaultLimits: AgentLimits = {
  maxSteps: 12,
  maxCostUsd: 0.25,
  maxTokens: 200_000,
  maxConsecutiveFailures: 3,
  timeoutSeconds: 86_400,
};

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export interface Trimming {
  readonly maxTokens: number;
  /** @default such models are refused */
  readonly boundThinking?: 'drop';
}

export interface AgentDefinition {
  /** 1 to 64 characters of `[a-zA-Z0-9_-]`. */
  readonly name: string;
  readonly model: string;
  readonly system: string;
  readonly tools: readonly Tool[];
  /** Sent as `output_config.effort`. @default the model's own */
  readonly effort?: Effort;
  /** Tokens of one reply, whole, >= 256. @default 4096 */
  readonly maxOutputTokens?: number;
  /** When given, the job ends by a checked call of `return_answer`. */
  readonly output?: z.ZodObject;
  /** Needs a number `confidence` in `output`; below it the job is flagged `needsReview`. */
  readonly reviewBelowConfidence?: number;
  readonly limits?: Partial<AgentLimits>;
  /**
   * Drops the oldest whole rounds once the prompt passes `maxTokens`, whole, >= 1000. Refused for models whose thinking is
   * bound to the whole history before it, unless `boundThinking: 'drop'` lets the API drop the thinking that lost its
   * history; then every request of the job thinks adaptively. @default off
   */
  readonly context?: Trimming;
  /**
   * What the model is never sent of tickets, follow-up messages and results of tools: cards, IBANs, keys, e-mail
   * addresses, phone numbers. It reads `[card 1]` instead and may use that in a call or an answer: tools, approvals and
   * results hold the original. Frozen with each job. @default none
   */
  readonly redact?: readonly PrivateKind[];
}

export interface Agent {
  readonly name: string;
  readonly model: string;
  readonly system: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly effort: Effort | undefined;
  readonly maxOutputTokens: number;
  readonly output: z.ZodObject | undefined;
  readonly reviewBelowConfidence: number | undefined;
  readonly limits: AgentLimits;
  readonly context: Trimming | undefined;
  /** In the order of `privateKinds`; empty for nothing. */
  readonly redact: readonly PrivateKind[];
}

/** The tool by which an agent with `output` ends; intercepted, never run. */
export const ANSWER_TOOL = 'return_answer';

/** Models whose thinking blocks are bound to the whole history before them: dropping rounds breaks them. Source: Messages API, preserved thinking. */
const boundThinking = /^claude-(fable-5-[1-9]|mythos-5-[1-9]|opus-5-5|sonnet-5-5|haiku-5-5)/;

const toolName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -');
/** The journal keeps such a result in one stored record; one that did not fit would be lost after the effect. */
const MAX_ONCE_RESULT_BYTES = 300_000;
const toolShape = z
  .strictObject({
    name: toolName.refine((name) => name !== ANSWER_TOOL, `${ANSWER_TOOL} is reserved`),
    description: z.string(),
    input: z.unknown(),
    run: z.unknown(),
    check: z.unknown().optional(),
    approval: z.unknown().optional(),
    policy: z.enum(['pure', 'idempotent', 'once']),
    timeoutSeconds: z.number().int().min(1).max(840),
    maxResultBytes: z.number().int().min(100).max(1_000_000),
  })
  .refine((tool) => tool.policy !== 'once' || tool.maxResultBytes <= MAX_ONCE_RESULT_BYTES, {
    path: ['maxResultBytes'],
    message: `must be at most ${MAX_ONCE_RESULT_BYTES} for a once tool`,
  });
const gateShape = z.strictObject({
  when: z.custom((value) => typeof value === 'function', 'must be a function').optional(),
  expiresInSeconds: z.number().int().min(1).max(2_678_400).optional(),
  onExpiry: z.enum(['deny', 'stop']).optional(),
});
const limitsShape = z.strictObject({
  maxSteps: z.number().int().min(1).max(1_000_000),
  maxCostUsd: z.number().min(0.000001).max(1_000_000),
  maxTokens: z.number().int().min(1),
  maxConsecutiveFailures: z.number().int().min(1).max(1_000_000),
  timeoutSeconds: z.number().int().min(1).max(31_622_400),
});
/** Strict, because a misspelt limit would be none. */
const agentShape = z.strictObject({
  name: toolName,
  model: z.string().min(1),
  tools: z.unknown(),
  effort: z.unknown().optional(),
  output: z.unknown().optional(),
  reviewBelowConfidence: z.unknown().optional(),
  system: z.string().refine((text) => text.trim() !== '', 'must not be empty'),
  maxOutputTokens: z.number().int().min(256),
  limits: limitsShape,
  context: z
    .strictObject({ maxTokens: z.number().int().min(1000), boundThinking: z.literal('drop').optional() })
    .optional(),
  redact: z.array(z.enum(privateKinds)).optional(),
});

/** Made once per schema: an agent is frozen for every job that is created. */
const jsonSchemas = new WeakMap<z.ZodObject, Readonly<Record<string, unknown>>>();

/** A JSON Schema that takes no unknown properties at its root, without the `$schema` marker. */
export function jsonSchemaOf(schema: z.ZodObject): Readonly<Record<string, unknown>> {
  const known = jsonSchemas.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...json } = z.toJSONSchema(schema.strict(), { io: 'input' });
  jsonSchemas.set(schema, json);
  return json;
}

function refuse(what: string, error: z.ZodError): never {
  const issue = error.issues[0];
  const where = issue === undefined ? [] : [issue.path.join('.')].filter((path) => path !== '');
  const words = [...where, issue?.message ?? 'is not valid'].join(' ');
  throw new TerminalError('invalid_definition', `${what}: ${words}`);
}

function gateOf<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Gate | undefined {
  const rule = definition.approval ?? false;
  if (rule === false) return undefined;
  const options = typeof rule === 'object' ? rule : {};
  const when = typeof rule === 'function' ? rule : options.when;
  return {
    when: (input) => (when === undefined ? true : when(definition.input.parse(input))),
    expiresInSeconds: options.expiresInSeconds ?? 259_200,
    onExpiry: options.onExpiry ?? 'deny',
  };
}

/**
 * Defines a tool. Throws `TerminalError` `invalid_definition` naming what is wrong.
 * A tool's result reaches the model as text or JSON; a throw reaches it as an error to read.
 */
export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Tool {
  const { input, check } = definition;
  const timeoutSeconds = definition.timeoutSeconds ?? 30;
  const maxResultBytes = definition.maxResultBytes ?? 20_000;
  const policy = definition.policy ?? 'once';
  const checked = toolShape.safeParse({ ...definition, policy, timeoutSeconds, maxResultBytes });
  if (!checked.success) refuse(`tool ${definition.name}`, checked.error);
  const rule = gateShape.safeParse(typeof definition.approval === 'object' ? definition.approval : {});
  if (!rule.success) refuse(`tool ${definition.name}: approval`, rule.error);
  const gate = gateOf(definition);
  return {
    name: definition.name,
    description: definition.description,
    schema: input,
    inputSchema: jsonSchemaOf(input),
    policy,
    gate,
    timeoutSeconds,
    maxResultBytes,
    run: (raw, context) => definition.run(input.parse(raw), context),
    check: check === undefined ? undefined : (raw, context) => check(input.parse(raw), context),
  };
}

/** Defines an agent. Throws `TerminalError` `invalid_definition` naming what is wrong. */
export function defineAgent(definition: AgentDefinition): Agent {
  const what = `agent ${definition.name}`;
  const maxOutputTokens = definition.maxOutputTokens ?? 4096;
  const limits = { ...defaultLimits, ...definition.limits };
  const checked = agentShape.safeParse({ ...definition, maxOutputTokens, limits });
  if (!checked.success) refuse(what, checked.error);
  const tools = new Map(definition.tools.map((tool) => [tool.name, tool]));
  if (tools.size !== definition.tools.length) {
    throw new TerminalError('invalid_definition', `${what}: two tools have the same name`);
  }
  if (
    definition.reviewBelowConfidence !== undefined &&
    !(definition.output?.shape['confidence'] instanceof z.ZodNumber)
  ) {
    throw new TerminalError(
      'invalid_definition',
      `${what}: reviewBelowConfidence needs a number "confidence" in output`,
    );
  }
  const { context } = definition;
  if (context !== undefined && context.boundThinking !== 'drop' && boundThinking.test(definition.model)) {
    throw new TerminalError(
      'invalid_definition',
      `${what}: context trimming breaks the preserved thinking of ${definition.model}; boundThinking: 'drop' lets the API drop it`,
    );
  }
  return {
    name: definition.name,
    model: definition.model,
    system: definition.system,
    tools,
    effort: definition.effort,
    maxOutputTokens,
    output: definition.output,
    reviewBelowConfidence: definition.reviewBelowConfidence,
    limits,
    context,
    redact: privateKinds.filter((kind) => definition.redact?.includes(kind)),
  };
}
