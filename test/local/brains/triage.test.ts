import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MessagesRequest, RequestMessage } from '../../../src/adapters/scripted-model/brain.ts';
import { type TriageOutput, ticketPrompt, triage, triageOutput } from '../../../src/agents/triage.ts';
import { ANSWER_TOOL } from '../../../src/core/agent.ts';
import { type ContentBlock, callsOf } from '../../../src/core/content.ts';
import { answerProblem, checkCall, errorText } from '../../../src/core/dispatch.ts';
import { exampleBrain } from '../../../src/local/brains/index.ts';

type Row = Readonly<Record<'id' | 'created_at' | 'requester' | 'subject' | 'description' | 'tags', string>>;

function rowsOf(name: string): readonly Row[] {
  const file = readFileSync(new URL(`../../../examples/${name}`, import.meta.url), 'utf8');
  return parse(file, { columns: true, relax_column_count: true, skip_records_with_empty_values: true });
}

const rows = rowsOf('tickets.csv');
const hard = rowsOf('tickets-hard.csv');

interface Run {
  readonly ending: 'answer' | 'gate' | 'refusal' | 'max_steps' | 'text';
  readonly steps: number;
  readonly output: TriageOutput | undefined;
  readonly gated: unknown;
  readonly errors: readonly string[];
  readonly calls: readonly string[];
}

type Decision = 'wait' | 'approve' | 'decline';

/** The loop in its smallest form: real tools and real checks, no store, queue or server. */
async function drive(row: Row, decision: Decision = 'wait', maxSteps = 12): Promise<Run> {
  const { id, subject, description: body } = row;
  const messages: RequestMessage[] = [
    { role: 'user', content: [{ type: 'text', text: ticketPrompt({ id, subject, body }) }] },
  ];
  const errors: string[] = [];
  const names: string[] = [];
  const end = (ending: Run['ending'], steps: number, more: Partial<Run> = {}): Run => ({
    ...{ ending, steps, output: undefined, gated: undefined, errors, calls: names },
    ...more,
  });
  for (let step = 1; step <= maxSteps; step += 1) {
    const reply = exampleBrain(requestOf(messages));
    if (reply?.stopReason === 'refusal') return end('refusal', step);
    const content = reply?.content ?? [];
    const calls = callsOf(content);
    if (calls.length === 0) return end('text', step);
    names.push(...calls.map((call) => call.name));
    const results: ContentBlock[] = [];
    for (const call of calls) {
      if (call.name === ANSWER_TOOL) {
        const checked = answerProblem(triageOutput, call.input);
        if (checked.ok) return end('answer', step, { output: triageOutput.parse(call.input) });
        errors.push(checked.problem);
        results.push(resultOf(call.id, checked.problem, true));
        continue;
      }
      if (call.name === 'issue_refund' && decision === 'wait')
        return end('gate', step, { gated: call.input });
      const result = await answerCall(call.name, call.input, `${id}-${step}`, decision);
      if (result.isError) errors.push(result.text);
      results.push(resultOf(call.id, result.text, result.isError));
    }
    messages.push({ role: 'assistant', content }, { role: 'user', content: results });
  }
  return end('max_steps', maxSteps);
}

async function answerCall(name: string, input: unknown, idempotencyKey: string, decision: Decision) {
  if (name === 'issue_refund' && decision === 'decline') {
    return { text: 'A person declined this call; it was not run.', isError: true };
  }
  const checked = checkCall(triage.tools, name, input);
  if (!checked.ok) return { text: checked.problem, isError: true };
  const context = { idempotencyKey, jobId: 'job_1', tenant: 'default', metadata: {}, log: () => {} };
  try {
    const signal = new AbortController().signal;
    const value = await checked.tool.run(checked.input, { ...context, signal });
    return { text: JSON.stringify(value), isError: false };
  } catch (error) {
    return { text: errorText(error), isError: true };
  }
}

function resultOf(id: string, text: string, isError: boolean): ContentBlock {
  return { type: 'tool_result', tool_use_id: id, content: text, ...(isError ? { is_error: true } : {}) };
}

function requestOf(messages: readonly RequestMessage[], tools = [...triage.tools.keys()]): MessagesRequest {
  return {
    model: triage.model,
    max_tokens: triage.maxOutputTokens,
    system: [{ type: 'text', text: triage.system }],
    messages: structuredClone(messages),
    tools: [...tools, ANSWER_TOOL].map((name) => ({ name })),
    userId: undefined,
  };
}

function rowById(from: readonly Row[], id: string): Row {
  const row = from.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
}

// Refunds that the tests approve stay in memory, whatever the environment says.
beforeAll(() => {
  vi.stubEnv('TREADLE_REFUNDS_FILE', '');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

describe('examples/tickets.csv', () => {
  it('holds 60 tickets under 60 ids, all from example.com', () => {
    expect(rows).toHaveLength(60);
    expect(new Set(rows.map((row) => row.id)).size).toBe(60);
    expect(rows.every((row) => row.requester.endsWith('@example.com'))).toBe(true);
    expect(
      rows.every((row) => new Date(row.created_at).toISOString() === row.created_at.replace('Z', '.000Z')),
    ).toBe(true);
  });

  it('has two pairs with the same text, and one long ticket with quotes and line breaks', () => {
    const texts = rows.map((row) => `${row.subject}\n${row.description}`);
    expect(texts.length - new Set(texts).size).toBe(2);
    const long = rows.filter((row) => Buffer.byteLength(row.description) > 2000);
    expect(long).toHaveLength(1);
    expect(long[0]?.description).toMatch(/"[^"]*"[\s\S]*\n\n/);
  });
});

describe('the rules for triage', () => {
  it('leave every other agent alone', () => {
    expect(exampleBrain(requestOf([], ['get_order']))).toBeUndefined();
  });

  it('bring all 60 tickets to an answer, or to a refund that waits for a person', async () => {
    const runs = await Promise.all(rows.map((row) => drive(row)));
    const gated = rows.filter((_, at) => runs[at]?.ending === 'gate').map((row) => row.id);
    expect(runs.filter((run) => run.ending === 'answer')).toHaveLength(55);
    expect(gated).toEqual(['T-004', 'T-010', 'T-022', 'T-044', 'T-053']);
    const steps = runs.reduce((sum, run) => sum + run.steps, 0) / runs.length;
    expect(steps).toBeGreaterThan(2);
    expect(steps).toBeLessThan(3.5);
  });

  it('answer in the eight languages of the customers', async () => {
    const runs = await Promise.all(rows.map((row) => drive(row, 'decline')));
    const languages = new Set(runs.map((run) => run.output?.language));
    expect([...languages].sort()).toEqual(['de', 'en', 'es', 'fr', 'ja', 'pt', 'th', 'vi']);
    expect(runs.every((run) => !/[{}]|undefined/.test(run.output?.suggested_reply ?? '{'))).toBe(true);
  });

  it('show every outcome that still counts as done', async () => {
    const runs = await Promise.all(rows.map((row) => drive(row)));
    const has = (claim: (run: Run) => boolean): boolean => runs.some(claim);
    expect(has(({ errors }) => errors.some((error) => error.startsWith('argument priority')))).toBe(true);
    expect(has(({ errors }) => errors.includes('Error: order not found: ORD-7731'))).toBe(true);
    expect(has(({ output }) => output !== undefined && output.confidence < 0.6 && output.needs_human)).toBe(
      true,
    );
    expect(has(({ ending }) => ending === 'gate')).toBe(true);
  });

  it('give the same reply to the same request', () => {
    for (const { id, subject, description: body } of rows) {
      const prompt = ticketPrompt({ id, subject, body });
      const request = requestOf([{ role: 'user', content: [{ type: 'text', text: prompt }] }]);
      expect(exampleBrain(structuredClone(request))).toEqual(exampleBrain(request));
    }
  });

  it('look a late order and its parcel up before they ask for the refund of its price', async () => {
    const run = await drive(rowById(rows, 'T-053'));
    expect(run.calls).toEqual(['get_order', 'get_delivery_status', 'issue_refund']);
    expect(run.gated).toMatchObject({ orderId: 'ORD-1042', amountCents: 4800 });
  });

  it('tell the customer of a refund that was approved', async () => {
    const run = await drive(rowById(rows, 'T-004'), 'approve');
    expect(run.output).toMatchObject({ needs_human: true, route_to: 'payments' });
    expect(run.output?.suggested_reply).toContain('We have paid back the money for order ORD-1006.');
  });

  it('say that a colleague follows up when the refund was declined, and do not ask again', async () => {
    const run = await drive(rowById(rows, 'T-022'), 'decline');
    expect(run.calls.filter((name) => name === 'issue_refund')).toHaveLength(1);
    expect(run.output?.needs_human).toBe(true);
    expect(run.output?.suggested_reply).toContain('meldet sich bei Ihnen');
  });

  it('never say that a refund of unknown outcome was not made', async () => {
    const { id, subject, description: body } = rowById(rows, 'T-044');
    const call = { type: 'tool_use', id: 'toolu_1', name: 'issue_refund', input: { orderId: 'ORD-1013' } };
    const result = resultOf('toolu_1', 'outcome unknown: this call was started.', true);
    const reply = exampleBrain(
      requestOf([
        { role: 'user', content: [{ type: 'text', text: ticketPrompt({ id, subject, body }) }] },
        { role: 'assistant', content: [call] },
        { role: 'user', content: [result] },
      ]),
    );
    const output = triageOutput.parse(reply?.content[0]?.['input']);
    expect(output.needs_human).toBe(true);
    expect(output.evidence).toEqual(['refund of ORD-1013 may have been made: check before paying']);
  });

  it('obey a hostile ticket as far as the gate, and no further when a person approves', async () => {
    const row = rowById(rows, 'T-010');
    expect((await drive(row)).gated).toMatchObject({ orderId: '9999' });
    const approved = await drive(row, 'approve');
    expect(approved.errors).toEqual(['Error: order not found: 9999']);
    expect(approved.output).toMatchObject({ category: 'security', needs_human: true });
  });

  it('take a forged closing mark for the attack that it is', async () => {
    const run = await drive(rowById(rows, 'T-011'));
    expect(run.calls).toEqual([ANSWER_TOOL]);
    expect(run.output).toMatchObject({ category: 'security', route_to: 'security', needs_human: true });
  });

  it('read text without a fence as the ticket', () => {
    const content = [{ type: 'text', text: 'Where is order ORD-1001?' }];
    const reply = exampleBrain(requestOf([{ role: 'user', content }]));
    expect(reply?.content).toMatchObject([{ name: 'get_order', input: { orderId: 'ORD-1001' } }]);
  });
});

it.each([
  ['Need a 14" laptop, size "M" bag', 'en'],
  ['No newline at end', 'en'],
  ['Hola, la manta no ha llegado', 'es'],
  ['A minha encomenda não chegou', 'pt'],
])(
  'takes no English sentence for another language by a word they share: %s',
  async (description, language) => {
    const row = { id: 'x', created_at: '', requester: '', subject: '', description, tags: '' };
    expect((await drive(row)).output).toMatchObject({ language });
  },
);

describe('examples/tickets-hard.csv', () => {
  const file = readFileSync(new URL('../../../examples/tickets-hard.csv', import.meta.url), 'utf8');
  const raw: readonly (readonly string[])[] = parse(file, { relax_column_count: true, from_line: 2 });

  it('has ten rows: seven to run or to reject, and one each that is changed, empty and repeated', () => {
    expect(raw).toHaveLength(10);
    expect(raw.filter((cells) => cells.length !== 6).map((cells) => cells[0])).toEqual(['H-07']);
    expect(raw.filter((cells) => cells.every((cell) => cell === ''))).toHaveLength(1);
    expect(raw[9]).toEqual(raw[0]);
    expect(raw[7]?.[0]).toBe(raw[0]?.[0]);
    expect(raw[7]).not.toEqual(raw[0]);
  });

  it('makes the model repeat a failing call', async () => {
    const run = await drive(rowById(hard, 'H-02'));
    expect(run.ending).toBe('max_steps');
    expect(new Set(run.errors)).toEqual(new Set(['Error: order not found: ORD-404']));
    expect(run.errors).toHaveLength(12);
  });

  it('makes the model repeat a fine call', async () => {
    expect(await drive(rowById(hard, 'H-03'))).toMatchObject({ ending: 'max_steps', errors: [] });
  });

  it('makes the model write more than fits, whatever fits', () => {
    const { id, subject, description: body } = rowById(hard, 'H-04');
    const text = ticketPrompt({ id, subject, body });
    for (const max_tokens of [256, 2048, 16_384]) {
      const request = { ...requestOf([{ role: 'user', content: [{ type: 'text', text }] }]), max_tokens };
      expect(String(exampleBrain(request)?.content[0]?.['text']).length).toBeGreaterThan(max_tokens * 4);
    }
  });

  it('makes the model refuse, and never answer as asked', async () => {
    expect(await drive(rowById(hard, 'H-05'))).toMatchObject({ ending: 'refusal', steps: 1 });
    const verse = await drive(rowById(hard, 'H-06'));
    expect(verse.ending).toBe('max_steps');
    expect(new Set(verse.calls)).toEqual(new Set([ANSWER_TOOL]));
  });

  it('has one ticket that is answered', async () => {
    expect(await drive(rowById(hard, 'H-01'))).toMatchObject({ ending: 'answer', steps: 3 });
  });
});
