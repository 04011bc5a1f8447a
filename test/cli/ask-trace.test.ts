import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { ask } from '../../src/cli/ask/asking.ts';
import { timeBar } from '../../src/cli/ask/time-bar.ts';
import { trace } from '../../src/cli/ask/trace.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import type { Job } from '../../src/client.ts';
import { keptTerminal } from '../support/command-line.ts';

const usage = { inputTokens: 1, outputTokens: 2, cacheWriteTokens: 3, cacheReadTokens: 4 };

const aCall = (id: string, more: object = {}) => ({
  ...{ id, name: 'issue_refund', input: { orderId: 'ORD-1' }, output: 'done', isError: false },
  ...{ policy: 'once', ms: 5, ...more },
});

/** Steps of which each took so many milliseconds in all and followed the one before at once. */
const aStep = (step: number, model: object, more: object = {}) => ({
  ...{ step, at: new Date(step * 100_000).toISOString(), text: '', calls: [] as unknown[] },
  model: {
    ...{ stopReason: 'tool_use', usage, costUsd: 0.000_1, reservedUsd: 0.002, unsettledUsd: 0 },
    ...{ attempts: 1, ...model },
  },
  ms: { queue: 10_000, model: 60_000, tools: 20_000, engine: 10_000 },
  ...more,
});

const aJob = (changes: object = {}, cost: object = {}): Job =>
  ({
    ...{ id: 'job_1', agent: 'triage', status: 'stopped', steps: 3, input: 'Please refund it.' },
    ...{ stop: { reason: 'max_steps', message: 'The job used all its steps.', resumable: true } },
    ...{ output: null, text: null, metadata: {}, approvals: [], limits: { maxSteps: 3 } },
    createdAt: new Date(0).toISOString(),
    cost: {
      spentUsd: 0.007_6,
      reservedUsd: 0,
      unsettledUsd: 0,
      ceilingUsd: 0.01,
      savedByCacheUsd: 0,
      ...cost,
    },
    ...changes,
  }) as unknown as Job;

async function traced(job: Job, steps: readonly object[], given: Partial<Terminal> = {}) {
  const { terminal, said } = keptTerminal(given);
  const send: typeof fetch = async (input) =>
    Response.json(String(input).includes('/steps') ? { items: steps, cursor: null } : job);
  const options = { endpoint: 'http://127.0.0.1:8787', json: false };
  await ask(options, terminal, (asking) => trace(asking, 'job_1'), { parts: { send } });
  return said();
}

const named = (out: string, name: string): readonly string[] =>
  [...out.matchAll(new RegExp(`^  ${name} +(.*)$`, 'gm'))].map(([, text = '']) => text);

it('counts what died attempts left unsettled into the money so far, names it, and says it at the end', async () => {
  const job = aJob({}, { unsettledUsd: 0.007_3 });
  const steps = [
    aStep(1, {}),
    aStep(2, { attempts: 3, unsettledUsd: 0.004 }),
    aStep(3, { unsettledUsd: 0.001 }),
  ];
  const { out } = await traced(job, steps, { width: 120 });
  expect(named(out, 'money').map((text) => /; (\S+) so far/.exec(text)?.[1])).toEqual([
    ...['$0.000100', '$0.004200', '$0.005300'],
  ]);
  expect(named(out, 'attempt')).toEqual(['3: the ones before died, $0.004000 unsettled']);
  expect(named(out, 'unsettled')).toEqual([
    '$0.001000 of requests before its reply came',
    '$0.007300 of it: held for requests whose outcome is unknown; $0.002300 since the last step',
  ]);
});

it('says nothing of what is unsettled where nothing is', async () => {
  const { out } = await traced(aJob(), [aStep(1, {})]);
  expect(out).not.toContain('unsettled');
  expect(out).not.toContain('attempt');
});

it('gives each part of the time its own share of the bar and its own figure', async () => {
  const ms = { queue: 250, model: 500, tools: 1_250, engine: 500 };
  expect(timeBar(ms, 10)).toBe('[qMMTTTTTee]');
  const { out } = await traced(aJob(), [aStep(1, {}, { ms })]);
  expect(named(out, 'time')).toEqual([
    '[qqMMMMMTTTTTTTTTTTTeeeee] queue 250, model 500, tools 1250, engine 500 ms',
  ]);
});

it.each([40, 60])('keeps time and money whole in %i columns, and leaves the bars out', async (width) => {
  const job = aJob({}, { unsettledUsd: 0.000_4 });
  const { out } = await traced(job, [aStep(1, {})], { width });
  const flat = out.replaceAll(/\n {13}/g, ' ');
  expect(flat).toContain('time       queue 10000, model 60000, tools 20000, engine 10000 ms\n');
  expect(flat).toContain('money      $0.000100, $0.002000 was held; $0.000100 so far of $0.0100\n');
  expect(flat).toContain('end        max_steps: The job used all its steps.\n');
  const figures = out.split('\n').filter((line) => line.startsWith('  '));
  for (const line of figures) expect(stringWidth(line)).toBeLessThanOrEqual(width);
});

it('cuts nothing where it is written into a pipe', async () => {
  const long = 'word '.repeat(100).trim();
  const job = aJob({
    text: long,
    input: long,
    stop: { reason: 'internal', message: long, resumable: false },
  });
  const step = aStep(1, {}, { text: long, calls: [aCall('call_0_0', { input: long, output: long })] });
  const { out } = await traced(job, [step], { width: Number.POSITIVE_INFINITY });
  expect(out.split(long)).toHaveLength(7);
  expect(out).not.toContain('…');
  expect((await traced(job, [step])).out).toContain('…');
});

it.each([
  ['pending', 'waits for a person, asked for at 1970-01-01 00:02, until 1970-01-04 00:00'],
  ['approved', 'approved by a person, asked for at 1970-01-01 00:02'],
  ['denied', 'denied by a person, asked for at 1970-01-01 00:02'],
  ['expired', 'nobody decided until 1970-01-04 00:00, asked for at 1970-01-01 00:02'],
])('tells of the approval of a call that it is %s', async (status, words) => {
  const times = { requestedAt: '1970-01-01T00:02:00.000Z', expiresAt: '1970-01-04T00:00:00.000Z' };
  const job = aJob({ approvals: [{ callId: 'call_1_0', tool: 'issue_refund', status, ...times }] });
  const calls = [aCall('call_0_0'), aCall('call_1_0')];
  const later = aStep(9, {});
  const { out } = await traced(job, [aStep(1, {}, { calls }), later, aStep(19, {})]);
  expect(named(out, 'approval')).toEqual([words]);
  expect(named(out, 'waited')).toEqual([
    ...['700.0 s before it, for a person', '900.0 s before it, as until the model could be asked again'],
  ]);
});
