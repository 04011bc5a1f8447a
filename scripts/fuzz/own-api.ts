import { createApi } from '../../src/api/app.ts';
import { apiFiles } from '../../src/api-files.ts';
import { takeDeadLetter } from '../../src/app/dead-letter.ts';
import { identifyLocally, startApiServer } from '../../src/local/api-server.ts';
import type { Model } from '../../src/ports.ts';
import { createRandom } from '../../src/testing/random.ts';
import { fieldAgents, newEffects } from '../../test/field/agents.ts';
import { runFor } from '../../test/support/drive.ts';
import { textReply, toolReply } from '../../test/support/fake-model.ts';
import { memoryWorld } from '../../test/support/world.ts';
import type { Target } from './target.ts';

/** What the worker has between two rounds. */
const ROUND_MINUTES = 5;
/** Now and then so much passes that deadlines and expiries come. */
const LONG_MS = 80 * 3_600_000;
const LONG_EVERY = 10;
/** Letters of one round. */
const LETTERS = 3;
/** What the jobs of one tenant may cost on one day: enough for most of what is asked, not for all. */
const DAILY_MICRO_USD = 40_000_000;

/** The API over a world in memory, whose worker goes on between the rounds. The same seed answers the same. */
export async function startOwnApi(seed: number): Promise<Target & { readonly close: () => Promise<void> }> {
  const random = createRandom(seed);
  const replies = [
    textReply('Done.'),
    textReply('Done.'),
    toolReply(['search_kb', { query: 'a' }]),
    toolReply(['issue_refund', { orderId: 'A', amountCents: 1 }]),
    toolReply(['fail_tool', { message: 'no' }]),
  ];
  const model: Model = { ask: async () => random.pick(replies) };
  const world = memoryWorld({ agents: fieldAgents(newEffects()), model, dailyMicroUsd: DAILY_MICRO_USD });
  const api = createApi({ world, identify: identifyLocally, files: apiFiles });
  const server = await startApiServer({ api, port: 0 });
  let letters = 0;
  let rounds = 0;
  return {
    url: server.url,
    close: server.close,
    goOn: async () => {
      for (const { body } of world.queue.messages().slice(0, LETTERS)) {
        letters += 1;
        await takeDeadLetter(world, `letter-${letters}`, body);
      }
      rounds += 1;
      if (rounds % LONG_EVERY === 0) await world.clock.advance(LONG_MS);
      await runFor(world, ROUND_MINUTES);
    },
    cannotShow: [],
    logged: () => JSON.stringify(world.lines),
  };
}
