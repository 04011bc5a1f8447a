import { expect, it } from 'vitest';
import { createClaude } from '../../src/adapters/claude.ts';
import { createScriptedModel } from '../../src/adapters/scripted-model/model.ts';
import { readScript } from '../../src/adapters/scripted-model/script.ts';
import { scriptedFetch } from '../../src/adapters/scripted-model/scripted-fetch.ts';
import { triage } from '../../src/agents/triage.ts';
import { createBatch } from '../../src/app/batches.ts';
import { submit } from '../../src/app/submit.ts';
import { viewJob } from '../../src/app/views.ts';
import type { Model } from '../../src/ports.ts';
import { fieldAgents, newEffects } from '../field/agents.ts';
import { runUntilIdle } from '../support/drive.ts';
import { exampleRows, restingBatch, strictModel } from '../support/example-run.ts';
import { memoryWorld } from '../support/world.ts';

it('repeats the earlier bytes of every request in a whole run of the example tickets', {
  timeout: 60_000,
}, async () => {
  const { model, client } = strictModel();
  const world = memoryWorld({ agents: [triage], model: client });
  const rows = await exampleRows('examples/tickets.csv');
  const wanted = {
    tenant: 'default',
    agent: 'triage',
    key: 'prefix',
    rows,
    budget: 3_000_000,
    concurrency: 10,
  };
  await restingBatch(world, (await createBatch(world, wanted)).id);
  const calls = model.calls();
  expect(calls.filter((call) => call.status !== 200)).toEqual([]);
  expect(calls.filter((call) => call.prefixIntact === false)).toEqual([]);
  expect(calls.filter((call) => call.prefixIntact === true).length).toBeGreaterThan(60);
});

const turns = [
  ...Array.from({ length: 20 }, (_, n) => ({
    http: 200,
    body: {
      ...{ id: `msg_${n}`, type: 'message', role: 'assistant', model: 'scripted-1', stop_reason: 'tool_use' },
      content: [{ type: 'tool_use', id: `toolu_${n}`, name: 'search_kb', input: { query: `q${n}` } }],
      usage: 'count',
    },
  })),
  {
    http: 200,
    body: {
      ...{ id: 'msg_end', type: 'message', role: 'assistant', model: 'scripted-1', stop_reason: 'end_turn' },
      content: [{ type: 'text', text: 'Done.' }],
      usage: 'count',
    },
  },
];

async function twentySteps(change: (model: Model) => Model): Promise<{ share: number; broken: number }> {
  const model = createScriptedModel({ script: readScript(JSON.stringify({ name: 'twenty', turns })) });
  const client = createClaude({ apiKey: 'x', baseURL: 'http://scripted', fetch: scriptedFetch(model) });
  const search = (): string =>
    'A result of about two hundred characters, as a knowledge base gives. '.repeat(3);
  const world = memoryWorld({ agents: fieldAgents(newEffects(), { search }), model: change(client) });
  const submitted = await submit(world, { tenant: 'default', agent: 'field', input: 'Research this.' });
  await runUntilIdle(world);
  const job = await viewJob(world, 'default', !('job' in submitted) ? '' : submitted.job.id);
  expect(job?.status).toBe('succeeded');
  const usage = job?.usage ?? { inputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0 };
  const share = usage.cacheReadTokens / (usage.inputTokens + usage.cacheWriteTokens + usage.cacheReadTokens);
  return { share, broken: model.calls().filter((call) => call.prefixIntact === false).length };
}

it('reads over 80 % of the input tokens of a job of twenty steps from the cache', async () => {
  const { share, broken } = await twentySteps((model) => model);
  process.stderr.write(`cache-read share of input tokens over 20 steps: ${(share * 100).toFixed(1)} %\n`);
  expect(broken).toBe(0);
  expect(share).toBeGreaterThan(0.8);
});

it('is told by the scripted model when the keys of an earlier message change their order', async () => {
  let asked = 0;
  const { broken } = await twentySteps((model) => ({
    ask: (request, signal) => {
      asked += 1;
      const [first, ...others] = request.messages;
      const swapped = first === undefined ? [] : [{ content: first.content, role: first.role }];
      return model.ask(asked === 5 ? { ...request, messages: [...swapped, ...others] } : request, signal);
    },
  }));
  expect(broken).toBeGreaterThan(0);
});
