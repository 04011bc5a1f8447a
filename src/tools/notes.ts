import * as z from 'zod';
import { appendJsonLine, pathFrom, readJsonLines } from './json-lines.ts';

const noteSchema = z.object({ jobId: z.string(), key: z.string(), value: z.string() });

/** What a job wants to remember under a key. */
export type Note = z.output<typeof noteSchema>;

const MAX_IN_MEMORY = 10_000;
const inMemory: Note[] = [];

/**
 * A notebook for demos: every job sees its own notes only, and a key keeps what was written last. Notes are JSON lines in
 * the file that `TREADLE_NOTES_FILE` names at the time of the call; without it they are kept in memory, the newest ten
 * thousand, and are gone with the process.
 */
export function writeNote(note: Note): void {
  const file = pathFrom('TREADLE_NOTES_FILE');
  if (file === undefined) inMemory.push(note);
  else appendJsonLine(file, note);
  if (inMemory.length > MAX_IN_MEMORY) inMemory.shift();
}

/** The notes of a job by their keys. */
export function notesOf(jobId: string): ReadonlyMap<string, string> {
  const file = pathFrom('TREADLE_NOTES_FILE');
  const notes = file === undefined ? inMemory : readJsonLines(file).flatMap((line) => parse(line));
  return new Map(notes.filter((note) => note.jobId === jobId).map(({ key, value }) => [key, value]));
}

function parse(line: unknown): readonly Note[] {
  const { success, data } = noteSchema.safeParse(line);
  return success ? [data] : [];
}
