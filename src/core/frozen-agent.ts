import * as z from 'zod';
import { type Agent, ANSWER_TOOL, jsonSchemaOf } from './agent.ts';
import { lift } from './head-format.ts';
import { privateKinds } from './redact.ts';

const frozenAgent = z.object({
  v: z.literal(1),
  name: z.string(),
  model: z.string(),
  system: z.string(),
  effort: z.string().optional(),
  maxOutputTokens: z.number().int().positive(),
  tools: z.array(z.unknown()),
  /** The API is to drop thinking that lost the history it is bound to; absent where it is not. */
  dropBoundThinking: z.literal(true).optional(),
  /** What is hidden from the model; absent for nothing. */
  redact: z.array(z.enum(privateKinds)).optional(),
});

/** What of an agent a request is made of. A job points at it by hash, so a redeploy never changes a running job. */
export type FrozenAgent = Readonly<z.infer<typeof frozenAgent>>;

/** Made once per agent: every job that is created asks for it. */
const frozenTexts = new WeakMap<Agent, string>();

/** The JSON text that an agent is frozen to; its hash is the agent's version. Tools are sorted by name. */
export function freeze(agent: Agent): string {
  const known = frozenTexts.get(agent);
  if (known !== undefined) return known;
  const text = textOf(agent);
  frozenTexts.set(agent, text);
  return text;
}

function textOf(agent: Agent): string {
  const tools = [...agent.tools.values()]
    .map((tool) => ({ name: tool.name, description: tool.description, input_schema: tool.inputSchema }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const answer = agent.output && {
    name: ANSWER_TOOL,
    description: 'Ends the work with its result. Call it once, alone, when the work is done.',
    input_schema: jsonSchemaOf(agent.output),
  };
  const frozen: FrozenAgent = {
    v: 1,
    name: agent.name,
    model: agent.model,
    system: agent.system,
    ...(agent.effort === undefined ? {} : { effort: agent.effort }),
    maxOutputTokens: agent.maxOutputTokens,
    tools: answer === undefined ? tools : [...tools, answer],
    ...(agent.context?.boundThinking === 'drop' ? { dropBoundThinking: true as const } : {}),
    ...(agent.redact.length === 0 ? {} : { redact: [...agent.redact] }),
  };
  return JSON.stringify(frozen);
}

export function readFrozenAgent(json: string, what: string): FrozenAgent {
  return frozenAgent.parse(lift(JSON.parse(json), what, 1, {}));
}
