import { describe, expect, it } from 'vitest';
import { ticketPrompt } from '../../src/agents/triage.ts';
import { sampleCallId, sampleJobId } from '../../src/api/samples.ts';
import { listApprovals } from '../../src/cli/ask/approvals.ts';
import type { Asking } from '../../src/cli/ask/asking.ts';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { type Approval, createClient } from '../../src/client.ts';
import { worldGiven } from '../api/given.ts';
import { overHttp } from '../api/senders.ts';
import { json, keptTerminal, treadle } from '../support/command-line.ts';

const served = async () => {
  const world = await worldGiven('awaiting_approval');
  const { port } = await overHttp(world);
  return { world, port, client: createClient({ endpoint: `http://127.0.0.1:${port}` }) };
};

const waiting: Approval = {
  ...{
    callId: 'call_1_0',
    tool: 'issue_refund',
    input: { orderId: 'ORD-1' },
    inputHash: 'h',
    status: 'pending',
  },
  ...{ jobId: 'job_1', agent: 'triage', batchId: null, rowId: null, metadata: {} },
  ...{ requestedAt: new Date(0).toISOString(), expiresAt: new Date(4 * 3_600_000).toISOString() },
};

/** What is shown of one call. */
async function shown(approval: Approval, width = 60, input = '', whole = false): Promise<string> {
  const { terminal, said } = keptTerminal({ width });
  const client = {
    approvals: async () => ({ items: [approval], cursor: null }),
    job: async () => ({ input }),
  };
  const clock = { now: () => 0 };
  await listApprovals({ client, terminal, clock, json: false } as unknown as Asking, { whole });
  return said().out;
}

describe('treadle approvals', () => {
  it('shows what a decision needs, and the commands that make it', async () => {
    const { port, client } = await served();
    const said = await treadle(port, ['approvals']);
    expect(said.code).toBe(exitCode.done);
    expect(said.out).toMatch(
      /^issue_refund\n {2}job {6}job_\S+\n {2}call {5}call_1_0\n {2}ticket {3}1001\n {2}agent {4}triage\n {2}expires {2}in \S/,
    );
    expect(said.out).toContain(
      '  arguments\n    orderId      ORD-1001\n    amountCents  500\n    reason       broken\n',
    );
    expect(said.out).toContain(
      `  npx --no treadle approve ${sampleJobId} ${sampleCallId} --endpoint http://127.0.0.1:${port}\n  npx --no treadle deny ${sampleJobId} `,
    );
    const page = await treadle(port, ['approvals', '--json']);
    expect(json(page)).toEqual(await client.approvals());
  });

  it('says so when nothing waits', async () => {
    const { port } = await overHttp(await worldGiven('nothing'));
    expect(await treadle(port, ['approvals'])).toEqual({
      ...{ code: exitCode.done, out: '', err: 'Nothing waits for a person.\n' },
    });
  });

  it('shows arguments whole, in as many lines as they need', async () => {
    const text = '返金してください。'.repeat(30);
    const out = await shown({ ...waiting, input: { reason: text, amountCents: 500 } });
    const lines = out.split('\n').filter((line) => /^ {4}/.test(line));
    expect(lines.map((line) => line.slice(17)).join('')).toBe(`${text}500`);
    expect(lines[1]).toMatch(/^ {17}\S/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(60);
  });

  it('lets nothing through that moves the cursor or turns the text around', async () => {
    const evil = 'pay \u001b[2K\u202e001\u202c to\r\nme\u0000';
    const out = await shown({ ...waiting, tool: evil, input: { [evil]: evil }, rowId: evil }, 200);
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
    expect(out).toContain('[U+202E]001[U+202C] to me');
  });

  it('shows the ticket: its subject and its words without the frame, a few lines of them unless the whole is wanted', async () => {
    const body = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join('\n');
    const input = ticketPrompt({ id: 'T-1', subject: 'Important', body });
    const out = await shown(waiting, 60, input);
    expect(out).toContain('  subject  Important\n  | line 1\n');
    expect(out).toContain('  | line 12\n  | … 8 more lines: --whole shows all\n  arguments\n');
    const whole = await shown(waiting, 60, input, true);
    expect(whole).toContain('  | line 20\n  arguments\n');
    expect(whole).not.toContain('more line');
  });

  it('wraps the words of a ticket, and spells out what moves the cursor or turns the text around', async () => {
    const evil = 'pay \u001b[2K\u202e001\u202c now\r\n  arguments\u2028  amountCents  1';
    const out = await shown(waiting, 40, `${evil}\n${'word '.repeat(30)}`);
    expect(out).toContain('  | pay [U+001B][2K[U+202E]001[U+202C] now'.slice(0, 36));
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2028]/u);
    expect(out.match(/^ {2}arguments$/gm)).toHaveLength(1);
    expect(
      Math.max(
        ...out
          .split('\n')
          .filter((line) => line.startsWith('  |'))
          .map((line) => line.length),
      ),
    ).toBe(40);
  });

  it('says when a decision comes too late', async () => {
    expect(await shown({ ...waiting, expiresAt: new Date(-1).toISOString() })).toContain('expires  now');
    expect(await shown(waiting)).toContain('expires  in 4 h');
  });
});

describe('treadle approve and deny', () => {
  it('decide on the arguments that they show', async () => {
    const { port, client } = await served();
    const said = await treadle(port, ['approve', sampleJobId, sampleCallId, '--reason', 'fine']);
    expect(said).toMatchObject({
      code: exitCode.done,
      out: expect.stringMatching(/^call_1_0 {2}approved\njob_/),
    });
    expect(said.err).toBe('issue_refund {"orderId":"ORD-1001","amountCents":500,"reason":"broken"}\n');
    const again = await treadle(port, ['approve', sampleJobId, sampleCallId, '--json']);
    expect(json(again)).toEqual(await client.job(sampleJobId));
    const other = await treadle(port, ['deny', sampleJobId, sampleCallId]);
    expect(other.code).toBe(exitCode.error);
    expect(other.err).toContain(`${sampleJobId} ${sampleCallId}: the call is already decided otherwise`);
  });

  it('send the hash of those arguments, so that a call that has changed is refused', async () => {
    const { port, client } = await served();
    const sent: unknown[] = [];
    const { decide } = await import('../../src/cli/ask/decide.ts');
    const { ask } = await import('../../src/cli/ask/asking.ts');
    const send: typeof fetch = async (input, init) => {
      if (init?.method === 'POST') sent.push(JSON.parse(String(init.body)));
      const response = await fetch(input, init);
      if (init?.method !== 'GET') return response;
      // As if the call had other arguments by the time the decision comes.
      return new Response((await response.text()).replaceAll(/"inputHash":"[^"]*"/g, '"inputHash":"seen"'));
    };
    const { terminal } = keptTerminal();
    const wanted = { jobId: sampleJobId, callId: sampleCallId, decision: 'deny', reason: 'no' } as const;
    const endpoint = `http://127.0.0.1:${port}`;
    const asked = ask({ endpoint, json: false }, terminal, (asking) => decide(asking, wanted), {
      parts: { send },
    });
    await expect(asked).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('arguments'),
    });
    expect(sent).toEqual([{ decision: 'deny', reason: 'no', inputHash: 'seen' }]);
    expect((await client.job(sampleJobId)).approvals[0]?.status).toBe('pending');
  });

  it('say where the calls are listed when there is none of that id', async () => {
    const { port } = await served();
    const said = await treadle(port, ['deny', sampleJobId, 'call_9_9']);
    expect(said).toMatchObject({ code: exitCode.error, err: expect.stringContaining('treadle approvals') });
    expect((await treadle(port, ['approve', sampleJobId])).code).toBe(exitCode.usage);
  });
});
