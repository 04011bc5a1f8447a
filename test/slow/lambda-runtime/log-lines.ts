import { expect } from 'vitest';
import { METRIC_DIMENSION, METRIC_NAMESPACE, metrics } from '../../../src/core/metrics.ts';

export type LogLine = Readonly<Record<string, unknown>>;

/**
 * The lines of a log as data: CloudWatch makes metrics, and its queries find fields, only in such that are one JSON
 * object. Any other line is `unread`.
 */
export function linesOf(log: string): readonly LogLine[] {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map(readLine);
}

function readLine(line: string): LogLine {
  try {
    const read: unknown = JSON.parse(line);
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return { ...read };
  } catch {
    // Told as unread.
  }
  return { unread: line };
}

/** The lines that CloudWatch makes metrics of. */
export function measuresIn(log: string): readonly LogLine[] {
  return linesOf(log).filter((line) => '_aws' in line);
}

/** How such a line looks: its metrics have the names that the alarms of the stack are on, and each has its value. */
export function lineOfMeasures(tableName: string): LogLine {
  const all = Object.values(metrics);
  const described = {
    ...{ Namespace: METRIC_NAMESPACE, Dimensions: [[METRIC_DIMENSION]] },
    Metrics: all.map(({ name, unit }) => ({ Name: name, Unit: unit })),
  };
  return {
    ...{ level: 'info', message: 'measured', [METRIC_DIMENSION]: tableName },
    _aws: { Timestamp: expect.any(Number), CloudWatchMetrics: [described] },
    ...Object.fromEntries(all.map(({ name }) => [name, expect.any(Number)])),
  };
}

/** Every string in a value, names of members among them: as they were before JSON escaped them. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}

/** A log that quotes a part of a text is found out by any few words of it that come one after the other. */
export function piecesOf(text: string): readonly string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length <= WORDS) return words.length === 0 ? [] : [words.join(' ')];
  return words.slice(WORDS - 1).map((_, at) => words.slice(at, at + WORDS).join(' '));
}

const WORDS = 3;
