import type { Brain } from '../../adapters/scripted-model/brain.ts';
import type { DocsOutput } from '../../agents/docs.ts';
import { ANSWER_TOOL } from '../../core/agent.ts';
import { isObject } from '../../core/content.ts';
import { callsReply, type Outcome, offers, readAsked } from './transcript.ts';

/** Plays the model for the agent `docs`: list, read the file that shares most words with the question, answer. */
export const docsBrain: Brain = (request) => {
  if (!offers(request, ['list_files', 'read_file'])) return undefined;
  const { question, outcomes } = readAsked(request);
  const listed = outcomes.find(({ name }) => name === 'list_files');
  if (listed === undefined) return callsReply(['list_files', {}]);
  const read = outcomes.find(({ name }) => name === 'read_file');
  const chosen = best(filesIn(listed), question, ({ filename, preview }) => `${filename} ${preview}`);
  if (read === undefined && chosen !== undefined) {
    return callsReply(['read_file', { filename: chosen.filename }]);
  }
  return callsReply([ANSWER_TOOL, { ...answerOf(question, read) }]);
};

function answerOf(question: string, read: Outcome | undefined): DocsOutput {
  const lines = read === undefined || read.failed ? [] : read.text.split('\n').slice(1);
  const answer = best(lines, question, (line) => line);
  if (answer === undefined || read === undefined) {
    return { answer: 'The documents do not say.', sources: [], confidence: 0.2 };
  }
  return { answer, sources: [String(read.input['filename'])], confidence: 0.9 };
}

interface File {
  readonly filename: string;
  readonly preview: string;
}

function filesIn({ value }: Outcome): readonly File[] {
  const files: readonly unknown[] = Array.isArray(value['files']) ? value['files'] : [];
  return files.flatMap((file) =>
    isObject(file) ? [{ filename: String(file['filename']), preview: String(file['preview']) }] : [],
  );
}

/** The first that shares most words with the question; undefined where none shares any. */
function best<T>(
  candidates: readonly T[],
  question: string,
  textOf: (candidate: T) => string,
): T | undefined {
  const wanted = stems(question);
  let most = 0;
  let found: T | undefined;
  for (const candidate of candidates) {
    const shared = [...stems(textOf(candidate))].filter((word) => wanted.has(word)).length;
    if (shared > most) [most, found] = [shared, candidate];
  }
  return found;
}

/** Words by their first five letters, so that `returned` meets `returns`; short ones say nothing. */
function stems(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  return new Set(words.map((word) => word.slice(0, 5)).filter((word) => !common.has(word)));
}

const common: ReadonlySet<string> = new Set([
  'what',
  'when',
  'where',
  'which',
  'long',
  'does',
  'have',
  'that',
]);
