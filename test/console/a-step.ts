import type { Call, Step } from '../../src/console/model/step.ts';

interface Changes {
  readonly at?: string;
  readonly text?: string;
  readonly calls?: readonly Call[];
  readonly model?: Partial<Step['model']>;
  readonly ms?: Partial<Step['ms']>;
}

/** A step that cost a tenth of a cent of a reserve of one cent, changed as asked. */
export function aStep(step: number, { model, ms, calls = [], ...changes }: Changes = {}): Step {
  return {
    ...{ step, at: '2026-11-30T10:00:00.000Z', text: '' },
    ...changes,
    calls: [...calls],
    model: {
      stopReason: 'tool_use',
      usage: { inputTokens: 100, outputTokens: 20, cacheWriteTokens: 0, cacheReadTokens: 0 },
      ...{ costUsd: 0.001, reservedUsd: 0.01, unsettledUsd: 0, unsettledEachUsd: [], attempts: 1 },
      ...model,
    },
    ms: { queue: 0, model: 0, tools: 0, engine: 0, ...ms },
  };
}

export function aCall(name: string, input: Call['input'] = {}): Call {
  return { id: `call_1_0`, name, input, output: null, isError: false, policy: 'pure', ms: 0 };
}
