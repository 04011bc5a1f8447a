import { isObject } from '../core/content.ts';
import { createCover, noOriginals } from '../core/placeholders.ts';
import type { PrivateKind } from '../core/redact.ts';
import type { ReportEntry } from './entry.ts';

const names: Readonly<Record<PrivateKind, string>> = {
  card: 'card numbers',
  iban: 'IBANs',
  key: 'keys',
  email: 'e-mail addresses',
  phone: 'phone numbers',
};

/**
 * Hides in a row what its agent hides from the model, because the report is made to be sent on. The ticket comes first, as in
 * the transcript, so that its placeholders are those of the trace, which holds no originals. The id stays: it names the row.
 */
export function hiddenEntry(entry: ReportEntry, kinds: readonly PrivateKind[]): ReportEntry {
  if (kinds.length === 0) return entry;
  const { hide } = createCover(kinds, noOriginals);
  const input = hide(entry.job?.input ?? '');
  const { output, text, error } = entry.row;
  return {
    ...entry,
    subject: hide(entry.subject),
    row: {
      ...entry.row,
      output: inTexts(output, hide),
      text: text === null ? null : hide(text),
      error: error === null ? null : hide(error),
    },
    job: entry.job && { ...entry.job, input, approvals: entry.job.approvals.map((one) => asked(one, hide)) },
  };
}

type Hide = (text: string) => string;
type Approval = Readonly<Record<string, unknown>>;

const asked = (approval: Approval, hide: Hide): Approval => ({
  ...approval,
  input: inTexts(approval['input'], hide),
});

function inTexts(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((one: unknown) => inTexts(one, hide));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inTexts(one, hide)]));
}

/** What a reader of the report has to know of it; empty where nothing is hidden. */
export function hiddenNote(kinds: readonly PrivateKind[]): string {
  if (kinds.length === 0) return '';
  const all = new Intl.ListFormat('en-GB').format(kinds.map((kind) => names[kind]));
  const sentence = `${all.charAt(0).toUpperCase()}${all.slice(1)} are hidden here, as from the model`;
  return `${sentence}: [${kinds[0]} 1] stands for one. Answers with the originals are in results.jsonl.`;
}
