import { cutText } from '../core/safe-json.ts';
import { firstWord, isData, wordOf } from './data.ts';

const MAX_NAME_BYTES = 200;
/** A message with more files says how many more there are. */
const MAX_FILES = 50;

const MARK = '[attachment: ';

function lineOf(name: string, facts: readonly (string | undefined)[]): string {
  const flat = name.replaceAll(/[\s[\]]+/g, ' ').trim();
  const told = facts.filter((fact) => fact !== undefined).join(', ');
  return `${MARK}${cutText(flat, MAX_NAME_BYTES).text}]${told === '' ? '' : ` (${told})`}`;
}

/** The last part of an address, which is the name of the file; the rest of it is nobody's business here. */
function fileIn(address: string): string {
  const path = address.split(/[?#]/, 1)[0] ?? '';
  return path.slice(path.lastIndexOf('/') + 1) || 'file';
}

/** A line, made only where it is shown: a cell may name a million files. */
type MakeLine = () => string;

function fromEntry(entry: unknown): readonly MakeLine[] {
  const plain = wordOf(entry);
  if (plain !== undefined) return fromWord(plain);
  if (!isData(entry)) return [];
  const name =
    firstWord(entry, ['file_name', 'filename', 'fileName', 'name', 'title']) ??
    fileIn(firstWord(entry, ['content_url', 'attachment_url', 'url', 'href']) ?? '');
  const type = firstWord(entry, [
    'content_type',
    'contentType',
    'mimeType',
    'mime_type',
    'preferences.Content-Type',
    'preferences.Mime-Type',
  ]);
  const bytes = firstWord(entry, ['size', 'filesize', 'file_size', 'fileSize', 'byte_size']);
  return [() => lineOf(name, [type, bytes === undefined ? undefined : `${bytes} bytes`])];
}

/** A cell of a table, a line at a time: names or addresses; Jira writes `date;author;name;address`. */
function fromWord(word: string): readonly MakeLine[] {
  return word.split('\n').flatMap((part) => {
    const line = part.trim();
    // A bare number says how many files there are, not which.
    if (line === '' || /^\d+(\.0)?$/.test(line)) return [];
    if (line.startsWith(MARK)) return [() => line];
    const dated = /^\d[^;]{4,40};[^;]{0,120};(.+);https?:[^;]+$/.exec(line)?.[1];
    if (dated !== undefined) return [() => lineOf(dated, [])];
    const names = line.split(/[,;|]\s*(?=https?:)|(?<=\.\w{1,5})[,;|]\s*/);
    return names.map((name) => () => lineOf(/^\s*https?:/.test(name) ? fileIn(name.trim()) : name, []));
  });
}

/** What a message says about its files, a line each: name, and type and size where the export tells them. */
export function attachmentLines(value: unknown): readonly string[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const all = entries.flatMap(fromEntry);
  const lines = all.slice(0, MAX_FILES).map((make) => make());
  const left = all.length - MAX_FILES;
  return left > 0 ? [...lines, `[${left} more attachments]`] : lines;
}

/** A text with the names of its files under it. */
export function withAttachments(text: string, lines: readonly string[]): string {
  return [...(text === '' ? [] : [text]), ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n');
}
