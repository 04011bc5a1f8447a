import type { Policy } from '../../src/core/agent.ts';

/** One call that the model makes: its tool is named after its policy, its mark is unique in the job. */
export interface PlannedCall {
  readonly policy: Policy;
  readonly mark: string;
}

const rounds: readonly (readonly Policy[])[] = [['pure', 'idempotent'], ['once'], ['idempotent', 'once']];

/** The calls of the model's reply number `step`, from 1, in a job of `steps` steps. The last reply is text alone. */
export function callsOf(step: number, steps: number): readonly PlannedCall[] {
  if (step >= steps) return [];
  const policies = rounds[(step - 1) % rounds.length] ?? [];
  return policies.map((policy, place) => ({ policy, mark: `${step}.${place}` }));
}

/** The reply that a mark belongs to. */
export function stepOfMark(mark: string): number {
  return Number(mark.split('.')[0]);
}
