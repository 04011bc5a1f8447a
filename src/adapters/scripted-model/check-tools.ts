import { isObject } from '../../core/content.ts';
import { extraFields, type Fields, type Problems, toolNamePattern } from './check-block.ts';
import type { ModelTraits } from './model-traits.ts';

const MAX_STRICT_TOOLS = 20;
const toolFields = [
  'type',
  'name',
  'description',
  'input_schema',
  'cache_control',
  'strict',
  'allowed_callers',
  'defer_loading',
  'eager_input_streaming',
  'input_examples',
];
/** Keywords that a grammar cannot enforce. */
const strictRefuses = ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/** Problems of `tools` and `tool_choice`. */
export function* toolsProblems(body: Fields, traits: ModelTraits): Problems {
  const tools = body['tools'] ?? [];
  if (!Array.isArray(tools)) return yield 'tools: Input should be a valid list';
  const list: readonly unknown[] = tools;
  const names = new Set<unknown>();
  for (const [at, tool] of list.entries()) {
    if (!isObject(tool)) return yield `tools.${at}: Input should be an object`;
    yield* toolProblems(tool, `tools.${at}`);
    if (names.has(tool['name'])) yield `tools.${at}.name: Tool names must be unique`;
    names.add(tool['name']);
  }
  const strict = list.filter((tool) => isObject(tool) && tool['strict'] === true).length;
  if (strict > MAX_STRICT_TOOLS) yield `tools: at most ${MAX_STRICT_TOOLS} strict tools are permitted`;
  yield* choiceProblems(body, names, traits);
}

function* toolProblems(tool: Fields, path: string): Problems {
  const { type, name, description, input_schema: schema } = tool;
  if (typeof name !== 'string' || !toolNamePattern.test(name)) {
    yield `${path}.name: String should match pattern '${toolNamePattern.source}'`;
  }
  if (type !== undefined && type !== null && type !== 'custom') return;
  yield* extraFields(tool, toolFields, path);
  if (description !== undefined && typeof description !== 'string') {
    yield `${path}.description: Input should be a valid string`;
  }
  if (!isObject(schema)) return yield `${path}.input_schema: Field required`;
  if (schema['type'] !== 'object') yield `${path}.input_schema.type: Input should be 'object'`;
  for (const word of ['anyOf', 'oneOf', 'allOf']) {
    if (word in schema) yield `${path}.input_schema: ${word} is not supported at the root of a schema`;
  }
  if (tool['strict'] === true) yield* strictProblems(schema, `${path}.input_schema`, 0);
}

/** A strict schema closes its objects and uses only what a grammar can enforce. */
function* strictProblems(schema: unknown, path: string, depth: number): Problems {
  if (depth > 100) return yield `${path}: the schema is nested too deeply`;
  if (Array.isArray(schema)) {
    for (const [at, part] of schema.entries()) yield* strictProblems(part, `${path}.${at}`, depth + 1);
  }
  if (!isObject(schema)) return;
  if (schema['type'] === 'object' && schema['additionalProperties'] !== false) {
    yield `${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`;
  }
  const refused = strictRefuses.find((word) => word in schema);
  if (refused !== undefined) yield `${path}: For strict tools, property '${refused}' is not supported`;
  for (const word of ['items', 'anyOf', 'allOf', 'oneOf']) {
    yield* strictProblems(schema[word], `${path}.${word}`, depth + 1);
  }
  for (const word of ['properties', '$defs', 'definitions']) {
    const parts = schema[word];
    if (!isObject(parts)) continue;
    for (const [name, part] of Object.entries(parts)) {
      yield* strictProblems(part, `${path}.${word}.${name}`, depth + 1);
    }
  }
}

function* choiceProblems(body: Fields, names: ReadonlySet<unknown>, traits: ModelTraits): Problems {
  const choice = body['tool_choice'];
  if (choice === undefined) return;
  if (!isObject(choice)) return yield 'tool_choice: Input should be an object';
  const { type, name } = choice;
  if (!['auto', 'any', 'tool', 'none'].includes(String(type))) {
    return yield "tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'";
  }
  yield* extraFields(choice, choiceFields(type), 'tool_choice');
  if (names.size === 0) yield 'tool_choice: tool_choice may only be specified while providing tools';
  if (type === 'tool' && !names.has(name)) yield 'tool_choice.name: Tool not found in provided tools';
  if (type !== 'any' && type !== 'tool') return;
  if (!traits.forcedTools) yield `tool_choice.type: '${type}' is not supported on this model`;
  const thinking = isObject(body['thinking']) ? body['thinking']['type'] : undefined;
  if (thinking === 'enabled' || thinking === 'adaptive') {
    yield 'tool_choice.type: Thinking may not be enabled when tool_choice forces tool use';
  }
}

function choiceFields(type: unknown): readonly string[] {
  if (type === 'none') return ['type'];
  const fields = ['type', 'disable_parallel_tool_use'];
  return type === 'tool' ? [...fields, 'name'] : fields;
}
