import { describe, expect, it } from 'vitest';
import type { Given } from '../../src/api/route.ts';
import { sampleJobId } from '../../src/api/samples.ts';
import { statusText } from '../../src/cli/ask/status-text.ts';
import { LOCAL } from '../../src/cli/endpoint.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { type Batch, createClient } from '../../src/client.ts';
import { worldGiven } from '../api/given.ts';
import { overHttp } from '../api/senders.ts';
import { json, treadle } from '../support/command-line.ts';

const served = async (given: Given) => {
  const { port } = await overHttp(await worldGiven(given));
  return { port, client: createClient({ endpoint: `http://127.0.0.1:${port}` }) };
};

const command = (port: number | string, words: string): string =>
  `npx --no treadle ${words} --endpoint http://127.0.0.1:${port}`;
const killed = (port: number | string): string =>
  `The kill switch is on: nothing is begun or goes on until npx --no treadle start-all --endpoint http://127.0.0.1:${port}.\n`;

describe('treadle status', () => {
  it('has an answer to each of four questions, also where there is nothing', async () => {
    const { port } = await served('nothing');
    const said = await treadle(port, ['status']);
    expect(said).toMatchObject({ code: exitCode.done, err: '' });
    expect(said.out).toMatch(
      /^under way {2}no job\ncost {7}\$0\.0000 today \(\d{4}-\d\d-\d\d, UTC\) .*\nstopped {4}nothing was stopped or failed\nneeds you {2}nothing\n$/,
    );
  });

  it('says what waits for a person, and the command that shows it', async () => {
    const { port } = await served('awaiting_approval');
    const { out } = await treadle(port, ['status']);
    expect(out).toContain('under way  1 waiting for a person\n');
    expect(out).toContain('$0.000020 beside it, so far, by jobs that have not ended\n');
    expect(out).toContain(`needs you  1 approval: ${command(port, 'approvals')}\n`);
  });

  it('says why jobs stopped, the reasons summed and the newest named', async () => {
    const { port } = await served('stopped');
    const { out } = await treadle(port, ['status']);
    expect(out).toMatch(
      new RegExp(
        `^stopped {4}max_steps 1\\n {11}${sampleJobId} {2}1001 {2}stopped: max_steps, .* ago: The job used all its steps`,
        'm',
      ),
    );
  });

  it('says what has ended and is not counted yet, what was given up, and that the kill switch is on', async () => {
    expect((await treadle((await served('succeeded')).port, ['status'])).out).toContain(
      '$0.000040 beside it by 1 job that ended and is not counted yet\n',
    );
    const { port } = await served('dead_letter');
    expect((await treadle(port, ['status'])).out).toContain(
      `needs you  1 dead letter: ${command(port, 'dlq list')}\n`,
    );
    await treadle(port, ['stop-all']);
    expect((await treadle(port, ['status'])).out).toContain(
      `needs you  the kill switch is on: ${command(port, 'start-all')}`,
    );
  });

  it('is one object for programs, without what jobs read and wrote', async () => {
    const { port, client } = await served('stopped');
    const said = json(await treadle(port, ['status', '--json']));
    const { id, stop, metadata } = await client.job(sampleJobId);
    expect(said).toMatchObject({
      jobs: { lookedAt: 1, more: false, running: 0, queued: 0, awaitingApproval: 0 },
      batches: [],
      cost: { countedUsd: 0, uncountedUsd: 0.00002, uncountedJobs: 1, openUsd: 0 },
      stops: [{ id, stop, metadata }],
      needs: { approvals: [], moreApprovals: false, toCheck: 0, deadLetters: 0 },
      health: await client.health(),
    });
    expect(JSON.stringify(said)).not.toContain('the cup is broken');
  });

  it('names batches under way with their progress, and what they wait for', async () => {
    const { port, client } = await served('batch_open');
    const { items } = await client.batches();
    expect((await treadle(port, ['status'])).out).toMatch(
      /^ {11}batch_\S+ {2}triage {2}open, 0 of 2 ended, \$0\.0000 of \$0\.5000$/m,
    );
    const counts = { ...items[0]?.counts, queued: 0, running: 0, awaiting_approval: 2 };
    const batch = { ...items[0], status: 'running', counts } as Batch;
    const status = {
      ...(json(await treadle(port, ['status', '--json'])) as object),
      batches: Array(7).fill(batch),
    };
    const text = statusText(status as unknown as Parameters<typeof statusText>[0], 0, {
      color: false,
      endpoint: LOCAL,
    });
    expect(text).toContain('running, waits for 2 approvals, 0 of 2 ended');
    expect(text).toContain('           and 2 more: npx --no treadle batch list\n');
  });
});

describe('where everything is stopped', () => {
  it('submit, batch submit and jobs say why nothing moves, and nothing of it for programs', async () => {
    const { port } = await served('queued');
    expect((await treadle(port, ['jobs'])).err).toBe('');
    await treadle(port, ['stop-all']);
    expect((await treadle(port, ['submit', 'Where is it?'])).err).toContain(killed(port));
    expect((await treadle(port, ['batch', 'submit', 'examples/tickets.csv'])).err).toContain(killed(port));
    expect((await treadle(port, ['jobs'])).err).toBe(killed(port));
    for (const command of [
      ['submit', 'Where is it?', '--json'],
      ['jobs', '--json'],
      ['jobs', '--status', 'failed'],
    ])
      expect((await treadle(port, command)).err).not.toContain('kill switch');
  });
});

describe('the table of jobs', () => {
  it.each([
    [{ needsReview: true, output: {} }, 'succeeded, to check'],
    [{ needsReview: false, output: { needs_human: true } }, 'succeeded, to check'],
    [{ needsReview: false, output: { needs_human: false } }, 'succeeded'],
  ])('marks an answer like %j in the sense of the report', async (changes, text) => {
    const { client } = await served('succeeded');
    const job = { ...(await client.job(sampleJobId)), ...changes };
    const { listJobs } = await import('../../src/cli/ask/list-jobs.ts');
    const { keptTerminal } = await import('../support/command-line.ts');
    const { terminal, said } = keptTerminal();
    const asking = {
      client: { jobs: async () => ({ items: [job], cursor: null }) },
      ...{ terminal, json: false, clock: { now: () => 0 } },
    };
    await listJobs(asking as unknown as Parameters<typeof listJobs>[0], {});
    expect(said().out).toMatch(new RegExp(` ${text} +2 `));
  });
});
