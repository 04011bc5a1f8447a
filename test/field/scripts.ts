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

/** A script that asks for the calls of each turn, under ids of their own, and then is done. */
export function scriptOf(...turns: readonly (readonly (readonly [string, object])[])[]): ModelScript {
  const asked = turns.map((turn, step) =>
    answer(
      turn.map(([name, input], place) => ({ type: 'tool_use', id: `toolu_${step}_${place}`, name, input })),
      'tool_use',
    ),
  );
  return { name: 'written in a test', turns: [...asked, done] };
}
