import { closeSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, sep, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pathFrom } from './json-lines.ts';

export interface DocumentEntry {
  readonly filename: string;
  /** The first characters of the first line. */
  readonly preview: string;
}

const PREVIEW_CHARACTERS = 80;
const PREVIEW_BYTES = 1_000;
const MAX_FILES = 200;
/** Far more than reaches the model. */
const MAX_BYTES = 1_000_000;

/** The folder that `TREADLE_DOCS_DIR` names at the time of the call; without it, the shipped sample documents. */
function folder(): string {
  return pathFrom('TREADLE_DOCS_DIR') ?? fileURLToPath(new URL('../../examples/docs/', import.meta.url));
}

/** The documents by name, at most 200. What is hidden, no file, or leads out of the folder is none. */
export function listDocuments(): readonly DocumentEntry[] {
  const names = readdirSync(folder()).filter((name) => !name.startsWith('.'));
  return names
    .sort()
    .flatMap((filename) => {
      const place = placeOf(filename);
      return typeof place === 'string' ? [{ filename, preview: previewOf(place) }] : [];
    })
    .slice(0, MAX_FILES);
}

function previewOf(path: string): string {
  const [line = ''] = readStart(path, PREVIEW_BYTES).split(/\r?\n/, 1);
  return [...line].slice(0, PREVIEW_CHARACTERS).join('');
}

/** The text of a document, at most a megabyte of it. Throws an error that names what cannot be read. */
export function readDocument(filename: string): string {
  const place = placeOf(filename);
  if (typeof place === 'string') return readStart(place, MAX_BYTES);
  switch (place.problem) {
    case 'missing':
      throw new Error(`there is no file ${filename}`);
    case 'outside':
      throw new Error(`refused: ${filename} leads out of the folder`);
    case 'no file':
      throw new Error(`refused: ${filename} is not a file`);
    default:
      throw place.problem satisfies never;
  }
}

type Place = string | { readonly problem: 'missing' | 'outside' | 'no file' };

/** Where a file really is: the name must not point elsewhere, and neither may a link on the way. */
function placeOf(filename: string): Place {
  if (filename.includes('\0') || isAbsolute(filename) || win32.isAbsolute(filename)) {
    return { problem: 'outside' };
  }
  if (filename.split(/[/\\]/).includes('..') || /^[a-z]:/i.test(filename)) return { problem: 'outside' };
  const root = realpathSync(folder());
  const real = realPath(join(root, filename));
  if (real === undefined) return { problem: 'missing' };
  if (!real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) {
    return { problem: real === root ? 'no file' : 'outside' };
  }
  return statSync(real).isFile() ? real : { problem: 'no file' };
}

/** Undefined where nothing is, which also holds for a link to nothing and for a name that is too long. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function readStart(path: string, bytes: number): string {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}
