import { TerminalError } from '../core/errors.ts';

const startsWith = (head: Uint8Array, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, at) => head[at] === byte);

/** Spreadsheets are zip archives: which one, the ending or the names of the parts tell. */
function kindOfZip(name: string, text: string): string {
  if (/\.(ods|numbers)$/i.test(name) || text.includes('opendocument.spreadsheet')) {
    return 'a spreadsheet: save it as CSV';
  }
  return /\.xls[xmb]$/i.test(name) || text.includes('[Content_Types].xml') || text.includes('xl/')
    ? 'an Excel workbook: save it as CSV'
    : 'a zip archive: unpack it and name the file in it';
}

/** What people take for a table of tickets and is none, by how it begins: what it is, and what to do with it. */
function kindOf(name: string, head: Uint8Array): string | undefined {
  // Without the NULs of UTF-16 and its byte order mark, which every encoding shows as no letters.
  const text = Buffer.from(head)
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^[^\x20-\x7e\s]+/, '');
  if (startsWith(head, 0x50, 0x4b, 3, 4)) return kindOfZip(name, text);
  if (startsWith(head, 0xd0, 0xcf, 0x11, 0xe0)) return 'an Excel workbook: save it as CSV';
  if (startsWith(head, 0x1f, 0x8b)) return 'a gzip archive: unpack it and name the file in it';
  if (text.startsWith('%PDF-')) return 'a PDF: export the tickets as CSV or JSON';
  if (/^\s*(<!--[\s\S]{0,1000}?-->\s*)?(<!doctype html|<html[\s>])/i.test(text)) {
    return 'an HTML page: save its table as CSV';
  }
  return /^\s*<\?xml\s/i.test(text) ? 'an XML file: export the tickets as CSV or JSON' : undefined;
}

/** Throws `TerminalError` `unreadable_encoding` for a file that is known to be something else than tickets. */
export function refuseOtherKinds(name: string, head: Uint8Array): void {
  const kind = kindOf(name, head);
  if (kind !== undefined) throw new TerminalError('unreadable_encoding', `${name} is ${kind}`);
}
