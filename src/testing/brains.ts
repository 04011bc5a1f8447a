import type { Asked, Brain, Reply } from './simulation/sim-model.ts';

/** A model that says one thing after the other, by the number of its replies so far, and the last for ever. */
export function scriptedBrain(script: readonly ((asked: Asked) => Reply)[]): Brain {
  return (asked) => {
    const at = asked.request.messages.filter(({ role }) => role === 'assistant').length;
    const say = script[Math.min(at, script.length - 1)];
    return say === undefined ? says('done')() : say(asked);
  };
}

/** Answers in text. */
export const says = (text: string) => (): Reply => ({ content: [{ type: 'text', text }] });

/** Calls tools, all in one reply: each a name and an input. */
export const callsTools =
  (...calls: readonly (readonly [name: string, input: object])[]) =>
  ({ serial }: Asked): Reply => ({
    content: calls.map(([name, input], place) => ({
      type: 'tool_use',
      id: `toolu_${serial}_${place}`,
      name,
      input,
    })),
  });
