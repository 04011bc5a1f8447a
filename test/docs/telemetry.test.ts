import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { expect, it } from 'vitest';
import { agentAttributes, chatAttributes, toolAttributes } from '../../src/adapters/otel/attributes.ts';
import { type AskFacts, type CallFacts, jobFacts, type StepFacts } from '../../src/core/facts.ts';
import { ending } from '../../src/core/stop-rules.ts';
import { at, synthesise } from '../infra/synthesised.ts';
import { aJob } from '../support/a-job.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/telemetry.md', import.meta.url)), 'utf8');

/** Every attribute that a table of the page names in its first cell, with the spans of its second. */
function attributesOf(span: 'root' | 'chat' | 'tool'): readonly string[] {
  const rows = [...page.matchAll(/^\| (`(?:gen_ai|treadle|error)\.[^|]*) \| ([^|]*) \|/gm)];
  const on = rows.filter(([, , spans = '']) => new RegExp(`${span}|all|where there is one`).test(spans));
  const metrics = /\.client\.|jobs\.ended/;
  return on
    .flatMap(([, names = '']) => [...names.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name))
    .filter((name) => !metrics.test(name))
    .sort();
}

const job = aJob({ batchId: 'batch_1', status: ending('configuration'), endedAtMs: 1 });
const asked: AskFacts = {
  ...{ startMs: 0, endMs: 1, maxTokens: 1, stop: 'end_turn', problem: 'odd' },
  ...{ usage: [1, 1, 1, 1], cost: 1, reserved: 1 },
};
const call: CallFacts = { ...{ id: 'c', place: 0, tool: 't', startMs: 0, endMs: 1 }, failed: true };
const step: StepFacts = {
  ...{ type: 'step', event: 'replied', job: jobFacts(job), model: 'm', fence: 1, attempt: 1, asked },
  ...{ calls: [call], spent: 1, unsettled: 0, queueMs: 0, toolsMs: 0, engineMs: 0, dropped: 0 },
};

it.each([
  ['root', agentAttributes('anthropic', { type: 'ended', job: jobFacts(job), model: 'm' })],
  ['chat', chatAttributes('anthropic', step, asked)],
  ['tool', toolAttributes(step, call)],
] as const)(
  'the page names every attribute of the spans of %s, and none that they do not have',
  (span, sent) => {
    expect(attributesOf(span)).toEqual(Object.keys(sent).sort());
  },
);

it('the line of a step that the page shows is one, and as short as it says', () => {
  const [, line = ''] = /```json\n(.*)\n```/.exec(page) ?? [];
  expect(JSON.parse(line)).toMatchObject({ message: 'step', stop: 'completed' });
  expect(line.length).toBeLessThan(350);
});

it('the construct takes what the page shows, a secret by its name', () => {
  const [, endpoint = ''] = /endpoint: '([^']+)'/.exec(page) ?? [];
  const { one } = synthesise((stack) => {
    const headersSecret = Secret.fromSecretNameV2(stack, 'Collector', 'collector-headers');
    return { telemetry: { endpoint, headersSecret } };
  });
  const worker = one('Lambda::Function', 'WorkerFunction');
  expect(at(worker, 'Environment.Variables.OTEL_EXPORTER_OTLP_ENDPOINT')).toBe('https://otlp.example.com');
  expect(JSON.stringify(at(worker, 'Environment.Variables'))).toContain('collector-headers');
});
