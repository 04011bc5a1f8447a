import { spawn } from 'node:child_process';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dev, runDev } from './dev-process.ts';
import { cleanEnvironment, type Finished, projectFile, start } from './processes.ts';

const treadle = projectFile('src/cli/treadle.mjs');
const tickets = ['คำขอเงินคืน', '返金のお願い', 'plain'];

let dev: Dev;
beforeAll(async () => {
  dev = await runDev([]);
  for (const ticket of tickets) {
    await dev.client.submit({
      ...{ agent: 'triage', input: 'ORD-1006 is lost, please refund it', metadata: { ticket } },
    });
  }
  while ((await dev.client.approvals()).items.length < tickets.length) await pause(100);
});
afterAll(() => dev.kill());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Seen {
  readonly code: number | null;
  /** All that the terminal was sent, both streams, with its own line ends. */
  readonly text: string;
}

/** A command in a real pseudo-terminal of so many columns; `type` is typed once `when` is on the screen. */
function onTerminal(
  args: readonly string[],
  { columns = 100, environment = {}, when = '', type = '' }: TerminalOptions = {},
): Promise<Seen> {
  const command = [process.execPath, treadle, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qfec', `stty cols ${columns} -echo; ${command}`, '/dev/null'], {
    env: cleanEnvironment({ TERM: 'xterm-256color', TREADLE_ENDPOINT: dev.api, ...environment }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  let typed = false;
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
    if (typed || type === '' || !text.includes(when)) return;
    typed = true;
    child.stdin.write(type);
  });
  return new Promise((resolve) =>
    child.on('close', (code) => resolve({ code, text: text.replaceAll('\r\n', '\n') })),
  );
}

interface TerminalOptions {
  readonly columns?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly when?: string;
  readonly type?: string;
}

const inPipe = (args: readonly string[]): Promise<Finished> =>
  start(args, cleanEnvironment({ TREADLE_ENDPOINT: dev.api })).finished;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const colors = /\u001b\[\d*m/;
const controls = /[\p{Cc}]/u;

describe('on a terminal', () => {
  it('jobs has colours, and without them where NO_COLOR is set', async () => {
    const [colored, plain] = await Promise.all([
      onTerminal(['jobs']),
      onTerminal(['jobs'], { environment: { NO_COLOR: '1' } }),
    ]);
    expect(colored.code).toBe(0);
    expect(colored.text).toContain('\u001b[33mawaiting app');
    expect(plain.text).toContain('awaiting app');
    expect(plain.text.replaceAll('\n', '')).not.toMatch(controls);
  });

  it.each([60, 100])(
    'jobs and approvals fit %i columns, and scripts of every width line up',
    async (columns) => {
      const options = { columns, environment: { NO_COLOR: '1' } };
      const [jobs, approvals] = await Promise.all([
        onTerminal(['jobs'], options),
        onTerminal(['approvals'], options),
      ]);
      const lines = jobs.text.trimEnd().split('\n');
      expect(lines).toHaveLength(tickets.length + 1);
      expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
      for (const line of [...lines, ...approvals.text.split('\n')]) {
        // A command is to be copied, and never broken.
        if (!/^ {2}npx --no treadle /.test(line)) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
      }
      for (const ticket of tickets) expect(approvals.text).toContain(`  ticket   ${ticket}\n`);
    },
  );

  it('watch redraws in place, ends with the batch, and leaves the result', async () => {
    const rows = Array.from({ length: 300 }, (_, n) => ({ id: `r${n}`, input: 'Thank you so much!' }));
    const { id } = await dev.client.submitBatch({ agent: 'triage', rows });
    const { code, text } = await onTerminal(['watch', id], { columns: 60 });
    expect(code).toBe(0);
    const [pictures, result] = [
      text.split('\u001b[4A\r\u001b[J').slice(0, -1),
      text.split('\u001b[4A\r\u001b[J').at(-1),
    ];
    expect(pictures.length).toBeGreaterThan(1);
    for (const picture of pictures) {
      expect(picture).toMatch(/^batch_.*\nrows .* of 300 ended\nmoney .*\njobs .*\n$/);
      for (const line of picture.split('\n')) expect(stringWidth(line)).toBeLessThan(60);
    }
    expect(result).toContain(
      `${id}  triage  \u001b[32mdone\u001b[0m\nrows   [########################] 300 of 300 ended\n`,
    );
  });

  it('watch ends with 130 at Ctrl-C, and the job goes on', async () => {
    const { id } = await dev.client.submitBatch({
      agent: 'triage',
      rows: [{ id: 'a', input: 'x' }],
      open: true,
    });
    const { code, text } = await onTerminal(['watch', id], { when: 'rows ', type: '\u0003' });
    expect(code).toBe(130);
    expect(text).toContain('goes on without being watched');
    expect((await dev.client.batch(id)).status).toBe('open');
  });

  it('delete asks, and takes Ctrl-C for Ctrl-C', async () => {
    const [waiting] = (await dev.client.approvals()).items;
    const id = waiting?.jobId ?? '';
    const asked = { when: 'for good? [y = yes] ' };
    expect(await onTerminal(['delete', id], { ...asked, type: 'n\n' })).toMatchObject({
      ...{ code: 1, text: expect.stringContaining('Nothing is deleted.') },
    });
    // It has not ended: the API refuses what a person agreed to.
    expect((await onTerminal(['delete', id], { ...asked, type: '\u0003' })).code).toBe(130);
    expect((await onTerminal(['delete', id], { ...asked, type: 'y\n' })).text).toContain('treadle: ');
  });
});

describe('in a pipe', () => {
  it('no command writes a control code', async () => {
    const [{ jobId = '' } = {}] = (await dev.client.approvals()).items;
    const all = [
      ['jobs'],
      ['approvals'],
      ['watch', jobId],
      ['trace', jobId],
      ['cost', '--by', 'agent'],
      ['batch', 'list'],
    ];
    for (const args of all) {
      const { code, stdout, stderr } = await inPipe(args);
      expect({ args, code }).toEqual({ args, code: 0 });
      expect(`${stdout}${stderr}`.replaceAll('\n', '')).not.toMatch(controls);
    }
  });

  it('watch ends with 130 when it is interrupted', async () => {
    const { id } = await dev.client.submitBatch({
      agent: 'triage',
      rows: [{ id: 'a', input: 'x' }],
      open: true,
    });
    const { child, finished } = start(['watch', id], cleanEnvironment({ TREADLE_ENDPOINT: dev.api }));
    await new Promise((resolve) => child.stderr?.once('data', resolve));
    child.kill('SIGINT');
    const { code, stdout, stderr } = await finished;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr.replaceAll('\n', '')).not.toMatch(controls);
    expect(stderr).not.toMatch(colors);
  });
});
