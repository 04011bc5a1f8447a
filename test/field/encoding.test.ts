import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { logLine } from '../../src/adapters/system.ts';
import { defineTool } from '../../src/core/agent.ts';
import { utf8Bytes } from '../../src/core/safe-json.ts';
import { type OpenCase, resultsOf, runCase } from './run-case.ts';
import { scriptOf } from './scripts.ts';
import { itemSizes, MAX_ITEM_BYTES } from './sizes.ts';

const blobs = (...kinds: readonly string[]) =>
  scriptOf(kinds.map((kind) => ['echo_blob', { kind }] as const));

const contents = (open: OpenCase): readonly string[] =>
  resultsOf(open.requests()[1]).map((result) => String(result['content']));

/** Every long text that the table holds is JSON of its own. */
async function expectValidTable({ world, jobId }: OpenCase): Promise<void> {
  const stored = await world.table.query(`JOB#${jobId}`, '', '~', true);
  const texts = stored.flatMap((item) => ['user', 'reply'].flatMap((name) => item[name] ?? []));
  expect(texts.length).toBeGreaterThan(2);
  for (const text of texts) expect(() => JSON.parse(String(text)) as unknown).not.toThrow();
}

/** The escapes of surrogates in a raw body stand in pairs, and so do the surrogates themselves. */
function expectPairedSurrogates({ raw }: OpenCase): void {
  const lone =
    /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f][0-9a-f]{2})|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}/i;
  for (const body of raw()) {
    expect(body).not.toMatch(lone);
    expect(body.isWellFormed()).toBe(true);
  }
}

const controls = (text: string): number => [...text].filter((unit) => unit < ' ').length;

describe('what a tool or a ticket holds', () => {
  it('H-E1: reaches the model whatever it is, marked where it was cut, and the run goes on', async () => {
    const run = await runCase({ script: blobs('cycle', 'map', 'error', 'to_json_throws', 'nested') });
    expect(run.job).toMatchObject({ status: 'succeeded', steps: 2 });
    const [cycle, map, error, toJsonThrows, nested] = contents(run);
    expect(cycle).toBe('{"name":"loop","self":"[circular]"}');
    expect(map).toBe('{"a":1}');
    expect(error).toContain('out of range');
    expect(toJsonThrows).toBe('"[unreadable: Error]"');
    expect(nested).toContain('[too deep]');
    await expectValidTable(run);
  });

  it('H-E2: shows numbers that JSON has no word for by one rule: null, and 0 for -0', async () => {
    const run = await runCase({ script: blobs('nan', 'minus_infinity', 'minus_zero', 'numbers') });
    expect(run.job.status).toBe('succeeded');
    expect(contents(run)).toEqual(['null', 'null', '0', '[null,null,0]']);
    await expectValidTable(run);
  });

  it('H-E3: never sends half an emoji, of a ticket or of a result, and leaves whole ones alone', async () => {
    const run = await runCase({
      script: blobs('lone'),
      submission: { agent: 'field_triage', input: 'cut \ud83d end, whole \ud83d\ude00, \udc00 back' },
    });
    expect(run.job.status).toBe('succeeded');
    expectPairedSurrogates(run);
    expect(run.requests()[0]?.messages[0]?.content).toMatchObject([
      { text: 'cut \ufffd end, whole \u{1f600}, \ufffd back' },
    ]);
    expect(contents(run)).toEqual(['cut \ufffd end']);
  });

  it.each([200, 201, 202, 203])('H-E3: cuts a result at %i bytes between whole emoji', async (bytes) => {
    const run = await runCase({
      script: scriptOf([['search_kb', { query: 'a' }]]),
      agent: { maxResultBytes: bytes, search: () => '\u{1f600}'.repeat(500) },
    });
    expect(run.job.status).toBe('succeeded');
    expectPairedSurrogates(run);
    expect(contents(run)[0]).toMatch(/^(\u{1f600})+\n\[cut: \d+ of 2000 bytes left out\]$/u);
    expect(utf8Bytes(contents(run)[0] ?? '')).toBeLessThanOrEqual(bytes);
  });

  it('H-E4: loses its control characters by one rule, is saved, and never breaks a log line', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const ticket = 'bell \u0007, nul \u0000, \u001b[31mred\u001b[0m\r\nnext\tcell';
    const noisy = defineTool({
      name: 'noisy',
      description: 'Logs what it was given',
      input: z.object({}),
      policy: 'pure',
      run: (_, { log }) => log('line\nbreak \u001b[2J', { ticket }),
    });
    const run = await runCase({
      script: scriptOf([
        ['echo_blob', { kind: 'nul' }],
        ['noisy', {}],
      ]),
      agent: { tools: [noisy] },
      submission: { agent: 'field_triage', input: ticket },
    });
    for (const line of run.world.lines) logLine(line.level, line.message, line.fields);
    const lines = written.mock.calls.map(([line]) => String(line));
    written.mockRestore();
    expect(run.job).toMatchObject({ status: 'succeeded', input: 'bell , nul , [31mred[0m\nnext\tcell' });
    expect(contents(run)[0]).toBe('Wsl');
    expect((await run.messages())[0]?.content).toEqual([{ type: 'text', text: run.job.input }]);
    expect(lines).not.toEqual([]);
    expect(lines.filter((line) => !line.endsWith('}\n') || controls(line.trimEnd()) > 0)).toEqual([]);
    await expectValidTable(run);
  });

  it.each([
    ['of 1 MB of ASCII', { kb: 1_000 }, 1_000_000],
    ['of 400,000 Thai characters', { kb: 400, thai: true }, 1_200_000],
  ] as const)('H-E5: is cut by bytes with a note of how much: a result %s', async (_, input, total) => {
    const run = await runCase({ script: scriptOf([['big_result', input]]) });
    expect(run.job.status).toBe('succeeded');
    const [text = ''] = contents(run);
    const left = total - utf8Bytes(text.slice(0, text.indexOf('\n[cut: ')));
    expect(text.endsWith(`\n[cut: ${left} of ${total} bytes left out]`)).toBe(true);
    expect(utf8Bytes(text)).toBeLessThanOrEqual(20_000);
    expect(utf8Bytes(text)).toBeGreaterThan(19_900);
    expect(utf8Bytes(run.raw()[1] ?? '')).toBeLessThan(utf8Bytes(run.raw()[0] ?? '') + 21_000);
  });

  it('H-E5: is stored in parts that count bytes, where the author lets a result be long', async () => {
    const sizes = itemSizes();
    const run = await runCase({
      script: scriptOf([['search_kb', { query: 'a' }]]),
      agent: {
        maxResultBytes: 1_000_000,
        search: () => '\u0e01'.repeat(400_000),
        limits: { maxCostUsd: 20 },
      },
      wrap: sizes.wrap,
    });
    expect(run.job.status).toBe('succeeded');
    expect(utf8Bytes(contents(run)[0] ?? '')).toBeLessThanOrEqual(1_000_000);
    expect(utf8Bytes(contents(run)[0] ?? '')).toBeGreaterThan(999_000);
    expect(sizes.largest()).toBeLessThanOrEqual(MAX_ITEM_BYTES);
    const stored = (await run.messages()).flatMap((message) => message.content);
    expect(stored).toContainEqual(expect.objectContaining({ content: contents(run)[0] }));
  });
});
