import { isObject } from '../../core/content.ts';
import type { ModelPrice } from '../../core/prices.ts';
import { extraFields, type Fields, type Problems } from './check-block.ts';
import type { ModelTraits } from './model-traits.ts';

const MAX_USER_ID_CHARS = 256;
const MIN_THINKING_TOKENS = 1024;

/** `messages` answers; `count_tokens` only counts, and takes fewer fields. */
export type Endpoint = 'messages' | 'count_tokens';

const counted = [
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
  'speed',
  'user_profile_id',
  'workspace_id',
];
const answered = [
  ...counted,
  'max_tokens',
  'metadata',
  'stop_sequences',
  'stream',
  'service_tier',
  'container',
  'inference_geo',
  'diagnostics',
];

/** Problems of the names of the outermost fields. */
export function* fieldProblems(body: Fields, endpoint: Endpoint): Problems {
  for (const name of ['temperature', 'top_p', 'top_k']) {
    if (name in body) yield `${name}: sampling parameters are no longer supported`;
  }
  yield* extraFields(body, endpoint === 'messages' ? answered : counted, '');
  if (typeof body['model'] !== 'string') yield 'model: Field required';
}

/** Problems of everything beside the prompt. */
export function* optionProblems(
  body: Fields,
  endpoint: Endpoint,
  model: ModelPrice,
  traits: ModelTraits,
): Problems {
  if (endpoint === 'messages') yield* maxTokensProblems(body['max_tokens'], model.maxOutputTokens);
  if (body['stream'] !== undefined && body['stream'] !== false) {
    yield 'stream: this server answers whole messages only';
  }
  yield* metadataProblems(body['metadata']);
  const stops = body['stop_sequences'];
  if (stops !== undefined && !(Array.isArray(stops) && stops.every((stop) => typeof stop === 'string'))) {
    yield 'stop_sequences: Input should be a list of strings';
  }
  const tier = body['service_tier'];
  if (tier !== undefined && tier !== 'auto' && tier !== 'standard_only') {
    yield "service_tier: Input should be 'auto' or 'standard_only'";
  }
  yield* outputProblems(body['output_config'], traits);
  yield* thinkingProblems(body, traits);
}

function* maxTokensProblems(value: unknown, most: number): Problems {
  if (value === undefined) return yield 'max_tokens: Field required';
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return yield 'max_tokens: Input should be a valid integer';
  }
  if (value < 1) yield 'max_tokens: Input should be greater than or equal to 1';
  if (value > most)
    yield `max_tokens: ${value} > ${most}, which is the maximum number of output tokens of the model`;
}

function* metadataProblems(metadata: unknown): Problems {
  if (metadata === undefined) return;
  if (!isObject(metadata)) return yield 'metadata: Input should be an object';
  yield* extraFields(metadata, ['user_id'], 'metadata');
  const id = metadata['user_id'];
  if (id === undefined || id === null) return;
  if (typeof id !== 'string') yield 'metadata.user_id: Input should be a valid string';
  else if (id.length > MAX_USER_ID_CHARS) {
    yield `metadata.user_id: String should have at most ${MAX_USER_ID_CHARS} characters`;
  }
}

function* outputProblems(config: unknown, traits: ModelTraits): Problems {
  if (config === undefined) return;
  if (!isObject(config)) return yield 'output_config: Input should be an object';
  yield* extraFields(config, ['effort', 'format'], 'output_config');
  const { effort, format } = config;
  if (effort !== undefined && effort !== null) {
    if (traits.efforts.length === 0) yield 'output_config.effort: This model does not support effort';
    else if (typeof effort !== 'string' || !traits.efforts.includes(effort)) {
      yield `output_config.effort: Input should be ${traits.efforts.join(', ')}`;
    }
  }
  if (format === undefined || format === null) return;
  if (!isObject(format) || format['type'] !== 'json_schema' || !isObject(format['schema'])) {
    yield "output_config.format: Input should be {type: 'json_schema', schema}";
  }
}

function* thinkingProblems(body: Fields, traits: ModelTraits): Problems {
  const thinking = body['thinking'];
  if (thinking === undefined) return;
  if (!isObject(thinking)) return yield 'thinking: Input should be an object';
  const type = String(thinking['type']);
  if (!traits.thinking.includes(type)) return yield 'thinking.type: not supported on this model';
  const config = body['output_config'];
  const effort = isObject(config) ? config['effort'] : undefined;
  const off = type === 'disabled' || type === 'between_tools';
  if (off && typeof effort === 'string' && !traits.effortsUnthinking.includes(effort)) {
    yield `thinking.type: ${type} thinking needs an effort of at most high on this model`;
  }
  const binding = thinking['block_binding'];
  if (binding !== undefined && (type !== 'adaptive' || !isObject(binding))) {
    yield 'thinking.block_binding: takes an object beside adaptive thinking';
  }
  if (type !== 'enabled') return;
  const budget = thinking['budget_tokens'];
  const most = body['max_tokens'];
  if (typeof budget !== 'number' || budget < MIN_THINKING_TOKENS) {
    yield `thinking.budget_tokens: Input should be greater than or equal to ${MIN_THINKING_TOKENS}`;
  } else if (typeof most === 'number' && budget >= most) {
    yield 'thinking.budget_tokens: `max_tokens` must be greater than `thinking.budget_tokens`';
  }
}
