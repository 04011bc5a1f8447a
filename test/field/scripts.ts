import { readFileSync } from 'node:fs';
import { type ModelScript, readScript } from '../../src/adapters/scripted-model/script.ts';

/** A script file, by its name. */
export function loadScript(name: string): ModelScript {
  return readScript(readFileSync(new URL(`scripts/${name}.json`, import.meta.url), 'utf8'));
}

/** Model answers written in a test, in the shape of the script files. */
export function answer(content: readonly object[], stopReason: string, changes: object = {}) {
  return {
    http: 200,
    body: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted-1' },
      ...{ content, stop_reason: stopReason, stop_sequence: null },
      usage: {
        ...{ input_tokens: 100, output_tokens: 20 },
        ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
      },
      ...changes,
    },
  };
}

export const done = answer([{ type: 'text', text: 'Done.' }], 'end_turn');

type Calls = readonly (readonly [string, object])[];

/** Answers that ask for the calls of each turn, under ids of their own. */
export function callTurns(...turns: readonly Calls[]): ModelScript['turns'] {
  return turns.map((turn, step) =>
    answer(
      turn.map(([name, input], place) => ({ type: 'tool_use', id: `toolu_${step}_${place}`, name, input })),
      'tool_use',
    ),
  );
}

/** A script of these answers, one after the other. */
export function inTurns(...turns: ModelScript['turns']): ModelScript {
  return { name: 'written in a test', turns: [...turns] };
}

/** A credential that does not work: the job fails with `configuration`, and nothing is billed. */
export const locked = {
  http: 401,
  body: { type: 'error', error: { type: 'authentication_error', message: 'no' } },
};

/** A script that asks for the calls of each turn and then is done. */
export function scriptOf(...turns: readonly Calls[]): ModelScript {
  return inTurns(...callTurns(...turns), done);
}
