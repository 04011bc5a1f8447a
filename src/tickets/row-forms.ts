import { adfText } from './adf.ts';
import { attachmentLines } from './attachments.ts';
import { type Data, isData } from './data.ts';

/** Lists of files, wherever they stand in a row outside of its conversation. */
const isFiles = (name: string): boolean => /^attachments?$/i.test(name);
/** As deep as rows become columns. */
const MAX_DEPTH = 4;

/** A value as a cell can hold it: documents as text, files as a line each, tags by their names. */
function plainValue(name: string, value: unknown, depth: number): unknown {
  if (Array.isArray(value)) {
    if (isFiles(name)) return attachmentLines(value).join('\n');
    return value.every((entry) => isData(entry) && typeof entry['tag'] === 'string')
      ? value.map((entry: Data) => entry['tag'])
      : value;
  }
  if (!isData(value)) return value;
  const text = adfText(value);
  if (text !== undefined) return text;
  // ServiceNow gives both when asked for all: what people see, and the key behind it.
  if (Object.hasOwn(value, 'display_value')) return value['display_value'];
  return depth < MAX_DEPTH ? plainObject(value, depth + 1) : value;
}

const plainObject = (row: Data, depth: number): Data =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(name, value, depth)]));

/** Intercom keeps the first message apart from the rest, under another name: it becomes the first part. */
function withFirstPart(row: Data): Data {
  const { source, conversation_parts: parts } = row;
  if (!isData(source) || !('body' in source) || !('author' in source)) return row;
  const { body, attachments, author, ...about } = source;
  const rest: unknown = isData(parts) ? parts['conversation_parts'] : parts;
  const first = { body, attachments, author, created_at: row['created_at'] };
  return { ...row, source: about, conversation_parts: [first, ...(Array.isArray(rest) ? rest : [])] };
}

/** A preview is the beginning of a message; it is the words of the customer only where the messages were left out. */
function withoutPreview(row: Data): Data {
  const { _embedded: embedded, messages } = row;
  const threads: unknown = isData(embedded) ? embedded['threads'] : messages;
  if (!Array.isArray(threads) || threads.length === 0) return row;
  const { preview: _preview, excerpt: _excerpt, ...others } = row;
  return others;
}

/** An edge of GraphQL holds its row beside a mark of its place. */
function withoutEdge(row: Data): Data {
  const { node, cursor: _cursor, ...others } = row;
  return isData(node) && Object.keys(others).length === 0 ? node : row;
}

/** A row of JSON in the form that columns and conversations are read from. */
export const plainRow = (row: Data): Data => plainObject(withFirstPart(withoutPreview(withoutEdge(row))), 1);
