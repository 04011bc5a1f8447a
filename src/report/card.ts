import { isObject } from '../core/content.ts';
import { type Need, needOf } from '../tickets/need.ts';
import type { ResultRow } from '../tickets/results.ts';
import { bounds } from './bounds.ts';
import type { ReportEntry } from './entry.ts';
import { cut, oneLine, textOfValue } from './text.ts';

/** What the report keeps of one row: every text in it is bounded. */
export interface Card extends Pick<ResultRow, 'line' | 'status' | 'steps' | 'cost' | 'usage'> {
  /** The place among the accepted rows, from 0. */
  readonly ordinal: number;
  readonly need: Need;
  readonly id: string;
  readonly subject: string;
  readonly jobId: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly input: string;
  readonly answer: readonly AnswerField[];
  readonly asks: readonly Ask[];
  /** From the start of the job to its end; undefined while it has none. */
  readonly elapsedMs: number | undefined;
  readonly trace: ReportEntry['trace'];
}

export interface AnswerField {
  readonly name: string;
  readonly text: string;
}

/** A call that waits for a person. */
export interface Ask {
  readonly callId: string;
  readonly tool: string;
  readonly input: readonly AnswerField[];
  readonly expiresAt: string;
}

/** Fields and calls of one row that are kept. */
const MAX_PARTS = 40;

export function cardOf({ row, subject, job, trace }: ReportEntry, ordinal: number): Card {
  const { line, status, steps, cost, usage, stop } = row;
  const text = row.text ?? '';
  const answer = fieldsOf(row.output);
  return {
    ...{ ordinal, need: needOf(row), line, status, steps, cost, usage, trace },
    id: oneLine(row.id, bounds.line),
    subject: oneLine(subject, bounds.subject),
    jobId: row.jobId,
    reason: stop === null || stop.reason === 'completed' ? null : stop.reason,
    message: row.error === null ? null : cut(row.error, bounds.line * 2),
    input: cut(job?.input ?? '', bounds.text),
    answer: answer.length === 0 && text !== '' ? [{ name: 'text', text: cut(text, bounds.text) }] : answer,
    asks: asksOf(job?.approvals ?? []),
    elapsedMs: elapsedOf(job),
  };
}

function fieldsOf(value: unknown): readonly AnswerField[] {
  if (value === null || value === undefined) return [];
  if (!isObject(value)) return [{ name: 'answer', text: cut(textOfValue(value), bounds.text) }];
  return Object.entries(value)
    .slice(0, MAX_PARTS)
    .map(([name, inner]) => ({ name: oneLine(name, bounds.line), text: cut(fieldText(inner), bounds.text) }));
}

function fieldText(value: unknown): string {
  const plain = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  return plain ? value.join('\n') : textOfValue(value);
}

function asksOf(approvals: readonly Readonly<Record<string, unknown>>[]): readonly Ask[] {
  return approvals
    .filter((approval) => approval['status'] === 'pending')
    .slice(0, MAX_PARTS)
    .map((approval) => ({
      callId: String(approval['callId'] ?? ''),
      tool: oneLine(String(approval['tool'] ?? ''), bounds.line),
      input: fieldsOf(approval['input']),
      expiresAt: String(approval['expiresAt'] ?? ''),
    }));
}

function elapsedOf(job: ReportEntry['job']): number | undefined {
  if (job === undefined || job.finishedAt === null) return undefined;
  return Math.max(0, Date.parse(job.finishedAt) - Date.parse(job.createdAt));
}
