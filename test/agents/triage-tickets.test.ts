import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { ticketPrompt, triage } from '../../src/agents/triage.ts';
import { submit } from '../../src/app/submit.ts';
import { type JobView, viewJob } from '../../src/app/views.ts';
import { exampleBrain } from '../../src/local/brains/index.ts';
import type { Model } from '../../src/ports.ts';
import { runUntilIdle } from '../support/drive.ts';
import { reply } from '../support/fake-model.ts';
import { memoryWorld } from '../support/world.ts';

/** The rules without a server: what is longer than the request allows is cut, as the API does. */
const scripted: Model = {
  ask: async (request) => {
    const { maxTokens, model, system, messages } = request;
    const tools = [...triage.tools.keys()].map((name) => ({ name }));
    const answer = exampleBrain({
      ...{ model, messages, tools, max_tokens: maxTokens, userId: undefined },
      system: [{ type: 'text', text: system }],
    });
    const content = answer?.content ?? [];
    const fits = JSON.stringify(content).length <= maxTokens * 4;
    return reply(fits ? content : [], fits ? (answer?.stopReason ?? 'end_turn') : 'max_tokens');
  },
};

type Row = Readonly<Record<'id' | 'subject' | 'description', string>>;

/** One job per row, through the loop and the store in memory, without a person who decides. */
async function triageFile(name: string): Promise<ReadonlyMap<string, JobView>> {
  const file = readFileSync(new URL(`../../examples/${name}`, import.meta.url), 'utf8');
  const rows: readonly Row[] = parse(file, { columns: true, skip_records_with_error: true });
  const world = memoryWorld({ agents: [triage], model: scripted });
  const jobs = new Map<string, JobView>();
  for (const { id, subject, description: body } of rows.filter((row) => row.id !== '' && !jobs.has(row.id))) {
    const input = ticketPrompt({ id, subject, body });
    const submitted = await submit(world, { tenant: 'default', agent: 'triage', input });
    if (!('job' in submitted)) throw new Error(`row ${id} met another`);
    await runUntilIdle(world, { maxMessages: 50 });
    const view = await viewJob(world, 'default', submitted.job.id);
    if (view !== undefined) jobs.set(id, view);
  }
  return jobs;
}

describe('the triage agent in the real loop', () => {
  it('answers 55 example tickets, leaves five refunds to a person, and flags only what it is unsure of', async () => {
    const jobs = await triageFile('tickets.csv');
    const gated = ['T-004', 'T-010', 'T-022', 'T-044', 'T-053'];
    const idsOf = (fits: (job: JobView) => boolean): readonly string[] =>
      [...jobs].filter(([, job]) => fits(job)).map(([id]) => id);
    expect(idsOf((job) => job.status === 'succeeded')).toHaveLength(55);
    expect(idsOf((job) => job.status === 'awaiting_approval')).toEqual(gated);
    expect(idsOf((job) => job.needsReview)).toEqual(['T-007', 'T-020', 'T-028', 'T-042', 'T-052']);
  });

  it('stops each hard ticket for its own reason', async () => {
    const jobs = await triageFile('tickets-hard.csv');
    const reasons = [...jobs].map(([id, job]) => [id, job.status, job.stop?.reason]);
    expect(reasons).toEqual([
      ['H-01', 'succeeded', 'completed'],
      ['H-02', 'stopped', 'consecutive_failures'],
      ['H-03', 'stopped', 'max_steps'],
      ['H-04', 'stopped', 'max_output_tokens'],
      ['H-05', 'stopped', 'refusal'],
      ['H-06', 'failed', 'invalid_output'],
    ]);
  });
});
