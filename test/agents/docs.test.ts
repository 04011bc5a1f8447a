import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { docs } from '../../src/agents/docs.ts';
import { listDocuments, readDocument } from '../../src/tools/document-folder.ts';
import { type DevStack, observations, says, startDev } from '../support/dev-stack.ts';

let dev: DevStack;
beforeAll(async () => {
  dev = await startDev([docs]);
});
afterAll(() => dev.close());

const ask = (input: string) => dev.run({ agent: 'docs', input });
const QUESTION = 'How long is the warranty?';
const answer = { answer: 'Two years.', sources: ['warranty.md'], confidence: 0.9 };

describe('the docs agent', () => {
  it('list_files → read_file → return_answer: 3 steps; the job’s output is the checked object', async () => {
    const job = await ask(QUESTION);
    expect(job).toMatchObject({ status: 'succeeded', steps: 3, needsReview: false });
    expect(job.output).toEqual({
      answer: 'The warranty is two years and covers faults of material and making.',
      sources: ['warranty.md'],
      confidence: 0.9,
    });
    const seen = await observations(dev, job.id);
    expect(seen.map(({ name }) => name)).toEqual(['list_files', 'read_file', 'return_answer']);
  });

  it('return_answer is intercepted and never dispatched: it has no tool, no result and no policy', async () => {
    expect(docs.tools.has('return_answer')).toBe(false);
    const job = await ask(QUESTION);
    const { items } = await dev.client.steps(job.id);
    expect(items.at(-1)?.calls).toMatchObject([{ name: 'return_answer', output: null, policy: null, ms: 0 }]);
    expect((await dev.client.messages(job.id)).items.at(-1)?.role).toBe('assistant');
  });

  it('list_files gives the file name and the first 80 characters of the first line as a preview', async () => {
    const job = await ask(QUESTION);
    const [listed] = await observations(dev, job.id);
    expect(JSON.parse(String(listed?.output))).toEqual({
      files: [
        { filename: 'delivery.md', preview: '# Delivery times, carriers and tracking' },
        { filename: 'opening-hours.md', preview: '# Opening hours of the shop and of the telephone' },
        { filename: 'returns.md', preview: '# Returns: how long, how, and when the money is back' },
        { filename: 'warranty.md', preview: '# Warranty and repairs' },
      ],
    });
  });

  it('a missing file is an error naming it', async () => {
    dev.script('missing', [
      says('', ['read_file', { filename: 'prices.md' }]),
      says('', ['return_answer', { answer: 'It does not say.', sources: [], confidence: 0.1 }]),
    ]);
    const job = await ask('missing');
    const [read] = await observations(dev, job.id);
    expect(read).toEqual({
      name: 'read_file',
      output: 'Error: there is no file prices.md',
      isError: true,
    });
    expect(job).toMatchObject({ status: 'succeeded', needsReview: true });
  });

  it('return_answer with a missing field → error back to the model → repaired answer → succeeded', async () => {
    const { sources: _, ...lacking } = answer;
    dev.script('repaired', [says('', ['return_answer', lacking]), says('', ['return_answer', answer])]);
    const job = await ask('repaired');
    expect(job).toMatchObject({ status: 'succeeded', steps: 2, output: answer });
    const [refused] = await observations(dev, job.id);
    expect(refused).toEqual({ name: 'return_answer', output: 'missing argument: sources', isError: true });
  });

  it('never repaired → failed, invalid_output, bounded', async () => {
    dev.script('never repaired', [says('So be it.', ['return_answer', { answer: 'Two years.' }])], true);
    const job = await ask('never repaired');
    expect(job).toMatchObject({
      ...{ status: 'failed', steps: 2, output: null, text: 'So be it.' },
      stop: { reason: 'invalid_output', resumable: false },
    });
  });

  it('the model ends with plain text → asked once to use return_answer → answered', async () => {
    const scripted = dev.script('plain once', [says('Two years.'), says('', ['return_answer', answer])]);
    const job = await ask('plain once');
    expect(job).toMatchObject({ status: 'succeeded', steps: 2, output: answer });
    const asked = JSON.parse(scripted.bodies()[1] ?? '') as { readonly messages: readonly object[] };
    expect(JSON.stringify(asked.messages.at(-1))).toContain('end by calling return_answer');
  });

  it('the model ends with plain text again → invalid_output, text kept', async () => {
    dev.script('plain twice', [says('Two years.'), says('Two years, I said.')]);
    const job = await ask('plain twice');
    expect(job).toMatchObject({
      ...{ status: 'failed', steps: 2, output: null, text: 'Two years, I said.' },
      stop: { reason: 'invalid_output' },
    });
  });

  it('a question that no document answers gets no source, and is flagged for review', async () => {
    const job = await ask('Do penguins fly?');
    expect(job).toMatchObject({ status: 'succeeded', needsReview: true });
    expect(job.output).toEqual({ answer: 'The documents do not say.', sources: [], confidence: 0.2 });
  });
});

describe('the folder of documents', () => {
  let outside = '';
  let folder = '';
  beforeEach(() => {
    outside = mkdtempSync(join(tmpdir(), 'treadle-docs-'));
    folder = join(outside, 'docs');
    mkdirSync(join(folder, 'sub'), { recursive: true });
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    writeFileSync(join(folder, 'a.txt'), `${'ä'.repeat(100)}\nsecond line`);
    writeFileSync(join(folder, 'sub', 'b.txt'), 'below');
    writeFileSync(join(folder, '.hidden'), 'hidden');
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'));
    symlinkSync(outside, join(folder, 'up'));
    symlinkSync('a.txt', join(folder, 'alias.txt'));
    symlinkSync('gone.txt', join(folder, 'dangling.txt'));
    vi.stubEnv('TREADLE_DOCS_DIR', folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(outside, { recursive: true });
  });

  it('is the one that TREADLE_DOCS_DIR names at the time of the call', () => {
    expect(listDocuments()).toEqual([
      { filename: 'a.txt', preview: 'ä'.repeat(80) },
      { filename: 'alias.txt', preview: 'ä'.repeat(80) },
    ]);
    expect(readDocument('sub/b.txt')).toBe('below');
    expect(readDocument('alias.txt')).toContain('second line');
  });

  it.each([
    ['an absolute path', () => join(folder, 'a.txt')],
    ['an absolute path of another system', () => 'C:\\Windows\\win.ini'],
    ['a path on another drive', () => 'C:notes.txt'],
    ['a path of a server', () => '\\\\server\\share\\a.txt'],
    ['..', () => '../secret.txt'],
    ['.. further on', () => 'sub/../../secret.txt'],
    ['.. with the other slash', () => 'sub\\..\\..\\secret.txt'],
    ['.. that would stay inside', () => 'sub/../a.txt'],
    ['a link to a file outside', () => 'link.txt'],
    ['a link to a folder outside', () => 'up/secret.txt'],
    ['a NUL', () => 'a.txt\0.md'],
  ])('refuses what leaves it, naming the file: %s', (_, name) => {
    expect(() => readDocument(name())).toThrow(`refused: ${name()} leads out of the folder`);
  });

  it('says that a folder is no file, and that a link to nothing is nothing', () => {
    expect(() => readDocument('sub')).toThrow('refused: sub is not a file');
    expect(() => readDocument('.')).toThrow('refused: . is not a file');
    expect(() => readDocument('dangling.txt')).toThrow('there is no file dangling.txt');
  });

  it('gives a path that leaves it to the model as an error', async () => {
    dev.script('leave', [
      says('', ['read_file', { filename: '../secret.txt' }], ['read_file', { filename: 'link.txt' }]),
      says('', ['return_answer', { answer: 'I may not.', sources: [], confidence: 1 }]),
    ]);
    const job = await ask('leave');
    const seen = await observations(dev, job.id);
    expect(seen.slice(0, 2)).toEqual(
      ['../secret.txt', 'link.txt'].map((name) => ({
        name: 'read_file',
        output: `Error: refused: ${name} leads out of the folder`,
        isError: true,
      })),
    );
  });
});
