import * as z from 'zod';
import { TerminalError } from '../core/errors.ts';
import { labelledFields } from './accuracy.ts';
import { type Measured, rightIn } from './measured.ts';

const count = z.int().nonnegative();

const savedCase = z.strictObject({
  id: z.string().min(1),
  /** By field; a field without a label is not in it. */
  right: z.record(z.string(), z.boolean()),
  confidence: z.number().min(0).max(1).nullable(),
  costUsd: z.number().nonnegative(),
  steps: count,
});

/** A run as it is kept for a later comparison. It holds neither tickets nor answers, so that it may be published. */
const savedRun = z.strictObject({
  type: z.literal('treadle-eval'),
  v: z.literal(1),
  at: z.iso.datetime(),
  agent: z.strictObject({ name: z.string(), version: z.string(), model: z.string() }),
  /** What wrote the answers in place of a model; null where a model did. */
  scripted: z.string().nullable(),
  /** A hash of all cases with their labels: another one means that something else was measured. */
  casesHash: z.string(),
  fields: z.array(z.string()),
  cases: z.array(savedCase),
});

export type SavedRun = z.output<typeof savedRun>;
export type SavedCase = SavedRun['cases'][number];

export function savedRunOf(
  cases: readonly Measured[],
  about: Pick<SavedRun, 'at' | 'agent' | 'scripted' | 'casesHash'>,
): SavedRun {
  const { fields } = labelledFields(cases);
  return {
    ...{ type: 'treadle-eval', v: 1, ...about, fields: [...fields] },
    cases: cases.map((measured) => ({
      id: measured.id,
      right: Object.fromEntries(
        fields.flatMap((field) => {
          const right = rightIn(measured, field);
          return right === undefined ? [] : [[field, right]];
        }),
      ),
      confidence: measured.confidence ?? null,
      costUsd: measured.costMicroUsd / 1e6,
      steps: measured.steps,
    })),
  };
}

/** One case a line, so that two runs can be compared by eye as well. */
export function savedText({ cases, ...about }: SavedRun): string {
  const head = JSON.stringify(about).slice(0, -1);
  return `${head},"cases":[\n${cases.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`;
}

function refuse(name: string, why: string, cause?: unknown): never {
  throw new TerminalError('unreadable_baseline', `${name}: ${why}`, { cause });
}

/** Throws `TerminalError` `unreadable_baseline`, naming the file and what is wrong with it. */
export function readSavedRun(name: string, text: string): SavedRun {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    refuse(name, 'is no JSON; a baseline is a file that treadle eval --save wrote', cause);
  }
  const mark = z.looseObject({ type: z.literal('treadle-eval'), v: z.unknown() }).safeParse(data);
  if (!mark.success) refuse(name, 'is no baseline: name a file that treadle eval --save wrote');
  if (mark.data.v !== 1) {
    refuse(
      name,
      `is a baseline of version ${JSON.stringify(mark.data.v)}, this command reads 1: save it again`,
    );
  }
  const read = savedRun.safeParse(data);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return refuse(
    name,
    `is a broken baseline, at ${issue?.path.join('.') || 'its top'}: ${issue?.message ?? ''}`,
  );
}
