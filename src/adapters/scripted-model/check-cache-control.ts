import { isObject } from '../../core/content.ts';
import { extraFields, type Fields, type Problems } from './check-block.ts';

const MAX_BREAKPOINTS = 4;

/** Something in the prompt that can carry a breakpoint, in the order of the prompt. */
export interface Markable {
  readonly path: string;
  readonly fields: Fields;
}

/** Everything that can carry a breakpoint: tools, system, messages, and the blocks inside tool results. */
export function* markables(body: Fields): Generator<Markable, void> {
  yield* within(body['tools'], 'tools');
  yield* within(body['system'], 'system');
  const messages: unknown = body['messages'];
  if (!Array.isArray(messages)) return;
  for (const [at, message] of messages.entries()) {
    if (isObject(message)) yield* within(message['content'], `messages.${at}.content`);
  }
}

function* within(list: unknown, path: string): Generator<Markable, void> {
  if (!Array.isArray(list)) return;
  for (const [at, fields] of list.entries()) {
    if (!isObject(fields)) continue;
    if (fields['type'] === 'tool_result') yield* within(fields['content'], `${path}.${at}.content`);
    yield { path: `${path}.${at}`, fields };
  }
}

/** The ttl of a `cache_control`; `undefined` where there is none. */
export function ttlOf(fields: Fields): '5m' | '1h' | undefined {
  const control = fields['cache_control'];
  if (!isObject(control)) return undefined;
  return control['ttl'] === '1h' ? '1h' : '5m';
}

/** Whether a breakpoint may stand on a block of this type. */
export function cacheable(type: unknown): boolean {
  return type !== 'thinking' && type !== 'redacted_thinking';
}

/** Problems of all breakpoints, the automatic one among them. */
export function* cacheControlProblems(body: Fields): Problems {
  yield* controlProblems(body['cache_control'], 'cache_control');
  const marked: Markable[] = [];
  let last: Markable | undefined;
  for (const place of markables(body)) {
    yield* controlProblems(place.fields['cache_control'], `${place.path}.cache_control`);
    if (ttlOf(place.fields) !== undefined) marked.push(place);
    if (cacheable(place.fields['type'])) last = place;
  }
  const automatic = ttlOf(body);
  const onLast = last === undefined ? undefined : ttlOf(last.fields);
  const count = marked.length + (automatic === undefined ? 0 : 1);
  if (count > MAX_BREAKPOINTS) {
    yield `cache_control: A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${count}.`;
  }
  if (automatic !== undefined && onLast !== undefined && onLast !== automatic) {
    yield 'cache_control.ttl: the last cacheable block is marked with another ttl';
  }
  const ttls = [
    ...marked.map(({ fields }) => ttlOf(fields)),
    ...(automatic === undefined ? [] : [automatic]),
  ];
  const short = ttls.indexOf('5m');
  const late = short === -1 ? -1 : ttls.indexOf('1h', short);
  if (late !== -1) {
    yield `${marked[late]?.path ?? 'cache_control'}: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block`;
  }
}

function* controlProblems(control: unknown, path: string): Problems {
  if (control === undefined || control === null) return;
  if (!isObject(control)) return yield `${path}: Input should be an object`;
  if (control['type'] !== 'ephemeral') yield `${path}.type: Input should be 'ephemeral'`;
  const ttl = control['ttl'];
  if (ttl !== undefined && ttl !== '5m' && ttl !== '1h') yield `${path}.ttl: Input should be '5m' or '1h'`;
  yield* extraFields(control, ['type', 'ttl'], path);
}
