import { describe, expect, it } from 'vitest';
import { deliverOne, drive, openCase, resultsOf, runCase } from './run-case.ts';
import { scriptOf } from './scripts.ts';

describe('the arguments of a call', () => {
  it('H-A1: answers an invented tool with the names of the real ones, as one failure that a success clears', async () => {
    const open = await openCase({ script: 'unknown_tool' });
    const failures: (number | undefined)[] = [];
    for (let step = 0; step < 3; step += 1) {
      await deliverOne(open);
      failures.push((await open.world.store.loadJob(open.jobId))?.failures);
    }
    expect(failures).toEqual([0, 1, 0]);
    expect(await drive(open)).toMatchObject({ status: 'succeeded', steps: 3, text: 'Done.' });
    const [refused] = resultsOf(open.requests()[1]);
    expect(refused).toMatchObject({ tool_use_id: 'toolu_1', is_error: true });
    for (const name of ['unknown tool: lookup_orders_v2', 'lookup_order,', 'search_kb', 'issue_refund']) {
      expect(refused?.['content']).toContain(name);
    }
    expect(open.effects.runs).toEqual(new Map([['lookup_order', 1]]));
  });

  it('H-A1: goes on through invented names whose failures never stand in a row', async () => {
    const { job } = await runCase({
      script: scriptOf(
        [['nope', {}]],
        [['lookup_order', { orderId: '1' }]],
        [['nope', {}]],
        [['lookup_order', { orderId: '2' }]],
      ),
      agent: { limits: { maxConsecutiveFailures: 2 } },
    });
    expect(job).toMatchObject({ status: 'succeeded', steps: 5 });
  });

  it('H-A2: parses an input that came as text once, and sends an object back', async () => {
    const { job, effects, requests } = await runCase({ script: 'string_input' });
    expect(job.status).toBe('succeeded');
    expect(requests().length).toBeGreaterThan(1);
    for (const body of requests().slice(1)) {
      const inputs = body.messages
        .flatMap((message) => message.content)
        .flatMap((block) => (block.type === 'tool_use' ? [block['input']] : []));
      expect(inputs).not.toEqual([]);
      for (const input of inputs) expect(input).toEqual({ orderId: 'A-77' });
    }
    expect(resultsOf(requests()[1])).toMatchObject([
      { content: expect.stringContaining('"orderId":"A-77"') },
    ]);
    expect(effects.runs.get('lookup_order')).toBe(2);
  });

  it('H-A3: runs a call once with an optional argument that is null left out', async () => {
    const inputs: object[] = [];
    const { job, effects, requests } = await runCase({
      script: 'null_optional',
      agent: { search: (input) => inputs.push(input) },
    });
    expect(job).toMatchObject({ status: 'succeeded', steps: 2 });
    expect(inputs).toEqual([{ query: 'refund' }]);
    expect(inputs.map((input) => Object.keys(input))).toEqual([['query']]);
    expect(effects.runs.get('search_kb')).toBe(1);
    expect(resultsOf(requests()[1])[0]).not.toHaveProperty('is_error');
  });

  it('H-A4: stops the same failing call at the threshold across cold workers, naming the tool', async () => {
    const { job, strict, effects } = await runCase(
      { script: 'same_failing_call', agent: { limits: { maxConsecutiveFailures: 3, maxSteps: 50 } } },
      { cold: true },
    );
    expect(job).toMatchObject({ status: 'stopped', stop: { reason: 'consecutive_failures' } });
    expect(job.stop?.message).toContain('fail_tool');
    expect([3, 4]).toContain(strict.calls().length);
    expect(effects.runs.get('fail_tool')).toBe(3);
  });
});
