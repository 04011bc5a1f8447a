import type { Labels, Measured } from './measured.ts';
import { fieldsOf } from './measured.ts';

/** What an evaluation needs of the result of a job. */
export interface Answered {
  readonly status: string;
  readonly stop: { readonly reason: string } | null;
  readonly output: unknown;
  readonly text: string | null;
  readonly steps: number;
  readonly needsReview: boolean;
  readonly usage: Readonly<Record<string, number>> | null;
  readonly cost: { readonly spentUsd: number };
}

/** A labelled case with what its job answered. */
export function measuredOf(id: string, labels: Labels, result: Answered): Measured {
  const succeeded = result.status === 'succeeded';
  return {
    ...{ id, labels },
    answers: succeeded ? answersOf(result) : undefined,
    stop: succeeded ? undefined : (result.stop?.reason ?? result.status),
    confidence: succeeded ? confidenceOf(result.output) : undefined,
    needsReview: result.needsReview,
    steps: result.steps,
    costMicroUsd: Math.round(result.cost.spentUsd * 1e6),
    tokens: Object.values(result.usage ?? {}).reduce((sum, tokens) => sum + tokens, 0),
  };
}

/** An agent without an output schema answers in one field, `text`. */
const answersOf = ({ output, text }: Answered): Labels =>
  output === null && text !== null ? { text } : fieldsOf(output);

function confidenceOf(output: unknown): number | undefined {
  const given = (output as { readonly confidence?: unknown } | null)?.confidence;
  return typeof given === 'number' && given >= 0 && given <= 1 ? given : undefined;
}
