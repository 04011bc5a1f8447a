import { describe, expect, it } from 'vitest';
import { viewSteps } from '../../src/app/views.ts';
import { utf8Bytes } from '../../src/core/safe-json.ts';
import { runUntilIdle } from '../support/drive.ts';
import { deliverOne, drive, killOne, openCase, pairing, resultsOf, runCase, TENANT } from './run-case.ts';
import { loadScript } from './scripts.ts';

const scriptedContent = (name: string, at: number): unknown => {
  const body = loadScript(name).turns[at]?.body;
  return typeof body === 'object' ? body['content'] : undefined;
};

describe('a transcript', () => {
  it.each([
    ['tools have run', 2],
    ['model has answered', 3],
  ] as const)('H-T1: stays paired when the worker dies after its %s', async (moment, asked) => {
    const open = await openCase({ script: { ...loadScript('parallel_one_fails'), repeat_last: true } });
    const { effects } = open;
    await deliverOne(open);
    await killOne(open, moment);
    expect(effects.runs.get('search_kb')).toBe(2);
    expect(effects.runs.get('fail_tool')).toBe(1);
    const job = await drive(open, { cold: true });
    expect(job).toMatchObject({ status: 'succeeded', text: 'Done.', steps: 2 });
    expect(open.requests()).toHaveLength(asked);
    for (const body of open.requests().slice(1)) {
      const ids = ['toolu_1', 'toolu_2', 'toolu_3'];
      expect(pairing(body)).toEqual({ calls: ids, results: ids });
    }
  });

  it('H-T2: keeps the results of the calls that succeeded beside one that threw', async () => {
    const { job, effects, requests } = await runCase({ script: 'parallel_one_fails' });
    expect(job).toMatchObject({ status: 'succeeded', steps: 2 });
    const [first, second, third] = resultsOf(requests()[1]);
    expect(first).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: '{"hits":["about a"]}',
    });
    expect(second).toMatchObject({ tool_use_id: 'toolu_2', is_error: true });
    expect(String(second?.['content']).trim()).not.toBe('');
    expect(third).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_3',
      content: '{"hits":["about c"]}',
    });
    expect(effects.runs).toEqual(
      new Map([
        ['search_kb', 2],
        ['fail_tool', 1],
      ]),
    );
  });

  it('H-T3: gives the second of two calls with one id an id of its own, and runs both', async () => {
    const { job, effects, requests } = await runCase({ script: 'dup_ids' });
    expect(job.status).toBe('succeeded');
    for (const body of requests()) {
      const ids = pairing(body);
      expect(new Set(ids.calls).size).toBe(ids.calls.length);
      expect(ids.results).toEqual(ids.calls);
    }
    expect(resultsOf(requests()[1]).map((result) => result['content'])).toEqual([
      '{"hits":["about a"]}',
      '{"hits":["about b"]}',
    ]);
    expect(effects.runs.get('search_kb')).toBe(2);
  });

  it('H-T4: leaves an empty text block out and keeps the call beside it', async () => {
    const { job, requests } = await runCase({ script: 'empty_text' });
    expect(job.status).toBe('succeeded');
    const blocks = requests()[1]?.messages.flatMap((message) => message.content) ?? [];
    const texts = blocks.filter((block) => block.type === 'text').map((block) => String(block['text']));
    expect(texts.filter((text) => text.trim() === '')).toEqual([]);
    expect(blocks.filter((block) => block.type === 'tool_use')).toMatchObject([
      { id: 'toolu_1', name: 'search_kb', input: { query: 'x' } },
    ]);
  });

  it('H-T5: sends signed thinking back as it came, from a new worker at every step', async () => {
    const { job, requests, raw } = await runCase({ script: 'thinking_roundtrip' }, { cold: true });
    expect(job.status).toBe('succeeded');
    const sent = scriptedContent('thinking_roundtrip', 0);
    const back = requests()[1]?.messages.find((message) => message.role === 'assistant')?.content;
    expect(sent).toContainEqual(expect.objectContaining({ type: 'thinking', thinking: '' }));
    expect(JSON.parse(JSON.stringify(back), withoutCacheControl)).toEqual(sent);
    const bytes = JSON.stringify(sent).slice(1, -1);
    expect(raw()[1]?.replaceAll(',"cache_control":{"type":"ephemeral"}', '')).toContain(bytes);
  });

  it('H-T6: never runs nor offers a call that the output limit cut, and says that it was cut', async () => {
    const open = await openCase({ script: 'cut_tool_use' });
    await runUntilIdle(open.world);
    const waiting = await open.view();
    expect(waiting.approvals).toMatchObject([
      { tool: 'issue_refund', status: 'pending', input: { orderId: 'A-77', amountCents: 4990 } },
    ]);
    expect(JSON.stringify(open.requests()[1]?.messages.at(-1))).toContain('cut at the output limit');
    const job = await drive(open, { approve: true });
    expect(job).toMatchObject({ status: 'succeeded', steps: 3 });
    expect(open.effects.refunds).toMatchObject([{ orderId: 'A-77', amountCents: 4990 }]);
    expect(open.effects.runs.get('issue_refund')).toBe(1);
  });

  it('H-T7: ends a refusal at once, apart from done and from failed, naming its category', async () => {
    const open = await openCase({ script: 'refusal_empty' });
    expect(await runUntilIdle(open.world)).toBe(1);
    const job = await drive(open);
    expect(job).toMatchObject({ status: 'stopped', stop: { reason: 'refusal' }, steps: 1 });
    expect(job.stop?.message).toContain('general');
    expect(open.strict.calls()).toHaveLength(1);
    expect(open.world.queue.messages()).toEqual([]);
    expect(await open.world.table.query('DEAD', '', '~', true)).toEqual([]);
  });

  it('H-T8: sends a paused turn back as it was, and ends with the answer that follows', async () => {
    const { job, requests } = await runCase({ script: 'pause_turn' });
    expect(job).toMatchObject({ status: 'succeeded', text: 'Done.', steps: 2 });
    const roles = requests()[1]?.messages.map((message) => message.role);
    expect(roles).toEqual(['user', 'assistant']);
    const back = requests()[1]?.messages[1]?.content;
    expect(JSON.parse(JSON.stringify(back), withoutCacheControl)).toEqual(scriptedContent('pause_turn', 0));
  });

  it('H-T9: drops whole rounds of a long history and never the task', async () => {
    const { job, requests } = await runCase({
      script: 'twenty_steps',
      agent: {
        context: { maxTokens: 1000 },
        maxResultBytes: 100_000,
        limits: { maxCostUsd: 10 },
        search: () => 'k'.repeat(60_000),
      },
    });
    expect(job).toMatchObject({ status: 'succeeded' });
    expect(requests()).toHaveLength(job.steps);
    expect(job.steps).toBeGreaterThanOrEqual(20);
    for (const body of requests()) {
      const ids = pairing(body);
      expect(ids.results).toEqual(ids.calls);
      expect(body.messages[0]).toMatchObject({
        role: 'user',
        content: [{ type: 'text', text: 'Please help with order A-77.' }],
      });
      expect(utf8Bytes(JSON.stringify(body.messages))).toBeLessThan(130_000);
    }
  });

  it('H-T10: does not report output that went into thinking as an empty success', async () => {
    const { job, world, jobId } = await runCase({ script: 'all_thinking' });
    expect(job).toMatchObject({ status: 'succeeded', text: 'Done.', steps: 2 });
    expect(job.usage).toMatchObject({ inputTokens: 200, outputTokens: 4116 });
    expect(job.cost.spentUsd).toBeCloseTo((200 * 3 + 4116 * 15) / 1e6, 6);
    const steps = await viewSteps(world, TENANT, jobId);
    expect(steps?.map((step) => step.model['stopReason'])).toEqual(['max_tokens', 'end_turn']);
  });
});

/** The mark of the cached prefix is the request's, not the transcript's. */
function withoutCacheControl(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value;
}
