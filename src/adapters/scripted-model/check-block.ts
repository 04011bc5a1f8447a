import { isObject } from '../../core/content.ts';

/** What is wrong with a request, each naming the place: "messages.3.content.0: …". Only the first is ever answered. */
export type Problems = Generator<string, void>;
export type Fields = Readonly<Record<string, unknown>>;

type Role = 'user' | 'assistant' | 'system' | 'result';

interface BlockRule {
  /** Where the block may stand; `result` is inside a tool result. */
  readonly roles: readonly Role[];
  /** The fields it may have beside `type`; absent where the server's own blocks come back as they were. */
  readonly fields?: readonly string[];
  readonly check?: (block: Fields, path: string, role: Role) => Problems;
}

const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const idPattern = /^[a-zA-Z0-9_-]+$/;
export const toolNamePattern = /^[a-zA-Z0-9_-]{1,128}$/;

const rules: Readonly<Record<string, BlockRule>> = {
  text: {
    roles: ['user', 'assistant', 'system', 'result'],
    fields: ['text', 'cache_control', 'citations'],
    check: textProblems,
  },
  image: {
    roles: ['user', 'result'],
    fields: ['source', 'cache_control', 'transformations'],
    check: imageProblems,
  },
  document: {
    roles: ['user', 'result'],
    fields: ['source', 'cache_control', 'citations', 'context', 'title'],
  },
  search_result: { roles: ['user', 'result'] },
  tool_reference: { roles: ['result'] },
  browser_state: { roles: ['result'] },
  tool_use: {
    roles: ['assistant'],
    fields: ['id', 'name', 'input', 'cache_control', 'caller', 'toolset_name'],
    check: callProblems,
  },
  tool_result: {
    roles: ['user'],
    fields: ['tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name'],
    check: resultProblems,
  },
  thinking: { roles: ['assistant'], fields: ['thinking', 'signature'], check: thinkingProblems },
  redacted_thinking: { roles: ['assistant'], fields: ['data'], check: redactedProblems },
  server_tool_use: {
    roles: ['assistant'],
    fields: ['id', 'name', 'input', 'cache_control', 'caller'],
    check: callProblems,
  },
  web_search_tool_result: { roles: ['assistant'] },
  web_fetch_tool_result: { roles: ['assistant'] },
  code_execution_tool_result: { roles: ['assistant'] },
  bash_code_execution_tool_result: { roles: ['assistant'] },
  text_editor_code_execution_tool_result: { roles: ['assistant'] },
  tool_search_tool_result: { roles: ['assistant'] },
  container_upload: { roles: ['user', 'assistant'] },
};

/** Problems of one content block, whatever stands around it. */
export function* blockProblems(block: unknown, path: string, role: Role): Problems {
  if (!isObject(block)) return yield `${path}: Input should be an object`;
  const type = block['type'];
  const rule = typeof type === 'string' && Object.hasOwn(rules, type) ? rules[type] : undefined;
  if (rule === undefined) return yield `${path}.type: Input is no known type of content block`;
  if (!rule.roles.includes(role)) {
    const where = role === 'result' ? 'inside tool results' : `in ${role} messages`;
    yield `${path}: \`${String(type)}\` blocks are not permitted ${where}`;
  }
  if (rule.fields !== undefined) yield* extraFields(block, ['type', ...rule.fields], path);
  if (rule.check !== undefined) yield* rule.check(block, path, role);
}

/** Names every field that the API does not know. */
export function* extraFields(fields: Fields, known: readonly string[], path: string): Problems {
  for (const name of Object.keys(fields)) {
    if (!known.includes(name))
      yield `${path === '' ? '' : `${path}.`}${name.slice(0, 64)}: Extra inputs are not permitted`;
  }
}

function* textProblems(block: Fields, path: string, role: Role): Problems {
  const text = block['text'];
  if (typeof text !== 'string') return yield `${path}.text: Input should be a valid string`;
  if (text.trim() === '') yield `${path}.text: text content blocks must contain non-whitespace text`;
  const citations = block['citations'];
  if (role === 'user' && Array.isArray(citations) && citations.length > 0) {
    yield `${path}.citations: citations are not permitted on text of user messages`;
  }
}

function* imageProblems(block: Fields, path: string): Problems {
  const source = block['source'];
  if (!isObject(source)) return yield `${path}.source: Field required`;
  const data = source['data'];
  if (source['type'] !== 'base64') return;
  if (typeof data !== 'string') yield `${path}.source.base64.data: Field required`;
  else if (data.length > MAX_IMAGE_BYTES) {
    yield `${path}.source.base64: image exceeds 5 MB maximum: ${data.length} bytes > ${MAX_IMAGE_BYTES} bytes`;
  }
}

function* callProblems(block: Fields, path: string): Problems {
  const { id, name, input } = block;
  if (typeof id !== 'string' || !idPattern.test(id)) {
    yield `${path}.id: String should match pattern '${idPattern.source}'`;
  }
  if (typeof name !== 'string' || !toolNamePattern.test(name)) {
    yield `${path}.name: String should match pattern '${toolNamePattern.source}'`;
  }
  if (!isObject(input)) yield `${path}.input: Input should be a valid dictionary`;
}

function* resultProblems(block: Fields, path: string): Problems {
  const { tool_use_id: id, content, is_error: isError } = block;
  if (typeof id !== 'string') yield `${path}.tool_use_id: Field required`;
  if (isError !== undefined && typeof isError !== 'boolean') {
    yield `${path}.is_error: Input should be a valid boolean`;
  }
  if (content !== undefined && typeof content !== 'string' && !Array.isArray(content)) {
    yield `${path}.content: Input should be a string or a list`;
  }
  if (isError === true && (content === undefined || content === '' || String(content) === '')) {
    yield `${path}.content: content cannot be empty if \`is_error\` is true`;
  }
  if (!Array.isArray(content)) return;
  for (const [at, inner] of content.entries()) yield* blockProblems(inner, `${path}.content.${at}`, 'result');
}

function* thinkingProblems(block: Fields, path: string): Problems {
  if (typeof block['thinking'] !== 'string') yield `${path}.thinking: Field required`;
  const signature = block['signature'];
  if (typeof signature !== 'string' || signature.trim() === '') {
    yield `${path}.signature: Invalid \`signature\` in \`thinking\` block`;
  }
}

function* redactedProblems(block: Fields, path: string): Problems {
  const data = block['data'];
  if (typeof data !== 'string' || data === '')
    yield `${path}.data: Invalid \`data\` in \`redacted_thinking\` block`;
}
