import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent, defineTool } from '../../src/index.ts';
import { callsTools, says, scriptedBrain, simulate } from '../../src/testing/index.ts';

const input = 'please refund 4111 1111 1111 1111 of ned@example.test, [email 1]';
const originals = ['4111 1111 1111 1111', 'ned@example.test', 'desk@shop.test'];

/** What went wrong in the tools' world or was seen by the model. */
const wrong: string[] = [];

const look = defineTool({
  name: 'look',
  description: 'Looks up',
  input: z.object({ email: z.string() }),
  policy: 'pure',
  maxResultBytes: 400,
  run: ({ email }) => {
    if (email !== 'ned@example.test') wrong.push(`look got ${email}`);
    return { email, by: 'desk@shop.test' };
  },
});
const refund = defineTool({
  name: 'refund',
  description: 'Refunds',
  input: z.object({ card: z.string(), by: z.string() }),
  policy: 'once',
  maxResultBytes: 400,
  approval: { when: ({ card }) => card === '4111 1111 1111 1111', expiresInSeconds: 600 },
  run: ({ card, by }) => {
    if (card !== '4111 1111 1111 1111' || by !== 'desk@shop.test') wrong.push(`refund got ${card} ${by}`);
    return `refunded to ${card}, written to ned@example.test [card 7]`;
  },
});

const script = scriptedBrain([
  callsTools(['look', { email: '[email 1]' }]),
  callsTools(['refund', { card: '[card 1]', by: '[email 2]' }], ['look', { email: '[email 1]' }]),
  says('I wrote to [email 1].'),
]);

it('breaks no rule where the model is kept from what it works with, and it never sees that, whatever crashes', async () => {
  const { found, steps } = await simulate({
    agents: [
      defineAgent({
        ...{ name: 'private', model: 'claude-sonnet-5', system: 'Refund.', tools: [look, refund] },
        redact: ['card', 'email'],
      }),
    ],
    brain: (asked) => {
      const seen = JSON.stringify(asked.request.messages);
      wrong.push(
        ...originals.filter((original) => seen.includes(original)).map((each) => `the model saw ${each}`),
      );
      // Somebody else's request under the same key holds nothing to hide, and a look-up may have failed.
      const due = asked.request.messages.length === 1 ? '[card 1]' : '[email 2]';
      return seen.includes(due) ? script(asked) : says('done')();
    },
    inputs: [input],
    seeds: 50,
    reset: () => wrong.splice(0),
    judge: () => wrong[0],
  });
  expect(found).toBeUndefined();
  expect(steps).toBeGreaterThan(250);
});
