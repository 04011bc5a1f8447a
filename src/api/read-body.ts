import { type Answer, badRequest, tooLarge, unsupportedType } from './answer.ts';
import { parseJson } from './parse-json.ts';

/** What a route says of its body beside the schema. */
export interface BodyRules {
  /** Bytes as they come over the wire. */
  readonly maxBytes: number;
  /** Added to the refusal of a larger one: what to do instead. */
  readonly tooLarge?: string;
  /** No body at all stands for `{}`. @default false */
  readonly optional?: boolean;
  /** Media types beside JSON that are handed on as bytes. @default none */
  readonly fileTypes?: readonly string[];
}

/** A body that is no JSON: its bytes, because its encoding is not known yet. */
export interface FileBody {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export type ReadBody =
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'file'; readonly file: FileBody }
  | { readonly type: 'refused'; readonly answer: Answer };

export const KIB = 1024;
export const MIB = 1024 * KIB;

const refused = (answer: Answer): ReadBody => ({ type: 'refused', answer });

/** Reads a body, bounded while it is read. Whatever was sent: an answer, never a throw. */
export async function readBody(request: Request, rules: BodyRules): Promise<ReadBody> {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    return refused(unsupportedType('the body must not be compressed'));
  }
  const bytes = await boundedBytes(request, rules.maxBytes);
  if (bytes === 'too large') {
    const limit = `the body is over ${rules.maxBytes} bytes`;
    return refused(tooLarge(rules.tooLarge === undefined ? limit : `${limit}; ${rules.tooLarge}`));
  }
  if (bytes === 'broken') return refused(badRequest([{ name: 'body', message: 'broke off' }]));
  if (bytes.length === 0 && rules.optional === true) return { type: 'json', value: {} };
  const type = mediaType(request);
  if (type !== undefined && rules.fileTypes?.includes(type) === true) {
    return { type: 'file', file: { contentType: type, bytes } };
  }
  if (type !== 'application/json') {
    const types = ['application/json', ...(rules.fileTypes ?? [])].join(', ');
    return refused(unsupportedType(`the content-type must be one of: ${types}; text is UTF-8`));
  }
  return readJson(bytes);
}

/** The media type without parameters; undefined for JSON in another charset than UTF-8. */
function mediaType(request: Request): string | undefined {
  const [type = '', ...parameters] = (request.headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const name = charset?.slice('charset='.length).replaceAll('"', '');
  const known = name === undefined || name === 'utf-8' || name === 'utf8';
  return known || type.trim() !== 'application/json' ? type.trim() : undefined;
}

function readJson(bytes: Uint8Array): ReadBody {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refused(badRequest([{ name: 'body', message: 'is not UTF-8' }]));
  }
  const parsed = parseJson(text);
  return parsed.type === 'json' ? parsed : refused(badRequest([{ name: 'body', message: parsed.why }]));
}

/** So much more is read and thrown away, because most clients look at an answer only once they have sent everything. */
const MAX_DISCARDED = 16 * MIB;

async function boundedBytes(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array | 'too large' | 'broken'> {
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
      if (bytes <= maxBytes) chunks.push(value);
      if (bytes > maxBytes + MAX_DISCARDED) {
        await reader.cancel();
        break;
      }
    }
  } catch {
    return 'broken';
  }
  if (bytes > maxBytes) return 'too large';
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
