import { deflateSync, gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decode } from '../../src/tickets/decode.ts';
import type { TicketSource } from '../../src/tickets/source.ts';
import { acceptedOf, inPieces, readAll } from './read-all.ts';

const file = (bytes: Uint8Array, size?: number): TicketSource => ({
  name: 'a.csv',
  size: bytes.length,
  open: () => inPieces(bytes, size),
});
const text = 'id,body\n1,Müller – 49,90 €\n';

describe('decode', () => {
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 LE', iconv.encode(text, 'utf16le', { addBOM: true })],
    ['UTF-16 BE', iconv.encode(text, 'utf16be', { addBOM: true })],
    ['UTF-16 LE without a mark', iconv.encode(text, 'utf16le')],
    ['UTF-16 BE without a mark', iconv.encode(text, 'utf16be')],
    ['Windows-1252', iconv.encode(text, 'windows-1252')],
  ])('reads %s', async (_, bytes) => {
    expect(await decode(file(bytes, 3))).toBe(text);
  });

  it('keeps UTF-8 with one broken byte as UTF-8', async () => {
    const thai = 'ภาษาไทย ทดสอบ';
    const bytes = Buffer.concat([Buffer.from(thai), Buffer.from([0xff]), Buffer.from(thai)]);
    expect(await decode(file(bytes))).toBe(`${thai}\ufffd${thai}`);
  });

  it.each([
    ['compressed data', deflateSync('id,body\n'.repeat(50))],
    ['NULs', Buffer.alloc(64)],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['UTF-16 that is cut in a character', Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x42])],
    ['Shift-JIS', iconv.encode('件名、本文\n返品について、お願いします', 'shift_jis')],
  ])('refuses %s in one sentence that names the file', async (_, bytes) => {
    await expect(decode(file(bytes))).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'unreadable_encoding',
      message: 'a.csv is not readable as text: save it as CSV or JSON in UTF-8 and try again',
    });
  });

  const zip = (rest: string) => Buffer.from(`PK\u0003\u0004${rest}`, 'latin1');
  it.each([
    ['a.xlsx', zip('junkjunk'), 'an Excel workbook: save it as CSV'],
    ['-', zip('\u0014\0[Content_Types].xml'), 'an Excel workbook: save it as CSV'],
    ['a.ods', zip('junk'), 'a spreadsheet: save it as CSV'],
    ['a.zip', zip('\u0014\0tickets.csv'), 'a zip archive: unpack it and name the file in it'],
    ['a.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'an Excel workbook: save it as CSV'],
    ['a.csv.gz', gzipSync('id,body\n'.repeat(50)), 'a gzip archive: unpack it and name the file in it'],
    ['a.pdf', Buffer.from('%PDF-1.7\n'), 'a PDF: export the tickets as CSV or JSON'],
    ['a.html', '<html><body>x</body></html>', 'an HTML page: save its table as CSV'],
    ['a.csv', '\ufeff\n<!-- x -->\n<!DOCTYPE html><p>sign in', 'an HTML page: save its table as CSV'],
    [
      'a.xls',
      iconv.encode('<html><table>', 'utf16le', { addBOM: true }),
      'an HTML page: save its table as CSV',
    ],
    ['a.xml', '<?xml version="1.0"?><a/>', 'an XML file: export the tickets as CSV or JSON'],
  ])('says what %s is instead of tickets', async (name, content, what) => {
    await expect(readAll(content, name)).rejects.toMatchObject({
      ...{ name: 'TerminalError', code: 'unreadable_encoding', message: `${name} is ${what}` },
    });
  });

  it('takes a table whose cells hold HTML for a table', async () => {
    const rows = await readAll('<p>id</p>,body\n1,<html>a page</html>\n');
    expect(rows).toMatchObject([{ type: 'accepted' }]);
  });

  it.each([
    ['utf16le', true],
    ['utf16be', false],
    ['windows-1252', false],
  ])('reads tickets in %s', async (encoding, addBOM) => {
    const content = 'id;subject;body\r\n1;Größe;"Zeile 1\r\nZeile 2"\r\n';
    const [row] = acceptedOf(await readAll(iconv.encode(content, encoding, { addBOM })));
    expect(row?.ticket).toEqual({ id: '1', subject: 'Größe', body: 'Zeile 1\nZeile 2' });
  });
});
