import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exitCode } from '../../src/cli/exit-codes.ts';
import { createProgram } from '../../src/cli/main.ts';
import { triage } from '../../src/cli/triage.ts';
import { type Agent, defaultLimits } from '../../src/core/agent.ts';
import type { StopReason } from '../../src/core/job.ts';
import { ending, resumableReasons } from '../../src/core/stop-rules.ts';
import { loadAgents } from '../../src/local/load-agents.ts';
import { keptTerminal } from '../support/command-line.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const decisions = readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`);
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs/agents.md',
  'docs/design.md',
  'docs/proof.md',
  'docs/cli.md',
  'docs/console.md',
  'docs/cost.md',
  'docs/deploy.md',
  'docs/eval.md',
  'docs/http.md',
  'docs/operate.md',
  'docs/security.md',
  'docs/tickets.md',
  'docs/triage.md',
  ...decisions,
  ...readdirSync(join(root, 'docs/tutorial')).map((name) => `docs/tutorial/${name}`),
];
const readme = read('README.md');
/** The README, and the pages that go on where it ends. */
const pages = ['README.md', 'docs/triage.md', 'docs/agents.md', 'docs/http.md'].map(read).join('\n');

/** The texts of a document's fenced blocks in one language. */
function blocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, name, body]) =>
    name === language ? [body ?? ''] : [],
  );
}

/** The cells of the table whose header starts with `title`, one list a row. */
function table(title: string): readonly (readonly string[])[] {
  const lines = pages.split('\n');
  const start = lines.findIndex((line) => line.split('|')[1]?.trim() === title);
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return rest.slice(0, end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')),
  );
}

const commands = (text: string): readonly string[] =>
  blocks(text, 'sh').flatMap((block) => block.trim().split(/\n| && /));

const optionsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option)),
];

/** Every command with its options, as they are declared; those of a group under the name of the group. */
const known: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  createProgram(keptTerminal().terminal, () => undefined).commands.map((command) => [
    command.name(),
    [command, ...command.commands].flatMap(({ options }) => options.map(({ long }) => long ?? '')),
  ]),
);

describe('the commands of the documents', () => {
  const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);

  it.each(['README.md', 'CONTRIBUTING.md'])('in %s are scripts that exist', (name) => {
    const named = commands(read(name)).flatMap((line) => /\bnpm run (?:-s )?([\w:]+)/.exec(line)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((script) => !scripts.includes(script))).toEqual([]);
  });

  it('have options, files and subcommands that exist', () => {
    const calls = commands(pages).flatMap((line) => {
      const found =
        /\bnpm run (?:-s )?(triage)(?: --(?: (.*))?)?$/.exec(line) ?? /\btreadle (\w+) ?(.*)$/.exec(line);
      return found === null ? [] : [{ command: found[1] ?? '', args: found[2] ?? '' }];
    });
    expect(calls.length).toBeGreaterThan(8);
    for (const { command, args } of calls) {
      expect(Object.keys(known)).toContain(command);
      expect(optionsIn(args).filter((option) => !known[command]?.includes(option))).toEqual([]);
      const examples = args.match(/examples\/\S+/g) ?? [];
      expect(examples.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    }
  });

  it('leave no option of triage out, and name none that does not exist', () => {
    const all = new Set(Object.values(known).flat());
    const ours = pages.replaceAll(/^curl .*$/gm, '');
    const named = optionsIn(ours).filter((option) => option !== '--no');
    expect(named.filter((option) => !all.has(option))).toEqual([]);
    expect(known['triage']?.filter((option) => !optionsIn(readme).includes(option))).toEqual([]);
  });
});

/** What a link may name in a document: its headings, as they are shown on the web. */
function anchorsOf(name: string): readonly string[] {
  return [...read(name).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('the links of the documents', () => {
  it.each(documents)('in %s lead to files and headings that exist', (name) => {
    const targets = [...read(name).matchAll(/\]\(([^)]+)\)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => !target.startsWith('https://'));
    const isThere = (target: string): boolean => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? name : join(dirname(name), path);
      return existsSync(join(root, file)) && (anchor === undefined || anchorsOf(file).includes(anchor));
    };
    expect(targets.filter((target) => !isThere(target))).toEqual([]);
  });
});

describe('the tables of the README and the pages beside it', () => {
  it('list every stop reason with its status, and whether it can go on', () => {
    const unions = [...read('src/core/job.ts').matchAll(/export type (?:\w+)Reason =([^;]+);/g)];
    const reasons = unions.flatMap(([, union]) =>
      [...(union ?? '').matchAll(/'(\w+)'/g)].map(([, reason]) => reason as StopReason),
    );
    expect(reasons.length).toBeGreaterThan(10);
    const expected = reasons.map((reason) => [
      reason,
      ending(reason).type,
      resumableReasons.has(reason) ? 'yes' : 'no',
    ]);
    const listed = table('reason').map((row) => row.slice(0, 3));
    expect([...listed].sort()).toEqual(expected.sort());
  });

  it('list every exit code, and the reasons that end with 4', () => {
    const codes = table('exit code').map(([code]) => Number(code));
    expect(codes).toEqual(Object.values(exitCode));
    const four = table('exit code').find(([code]) => code === '4')?.[1] ?? '';
    const limits = /new Set\(\[([^\]]+)\]\)/.exec(read('src/cli/exit-codes.ts'))?.[1] ?? '';
    const names = [...limits.matchAll(/'(\w+)'/g)].map(([, reason]) => reason);
    expect([...four.matchAll(/`(\w+)`/g)].map(([, reason]) => reason)).toEqual(names);
  });

  it('list every policy and status', () => {
    const policies = /export type Policy = ([^;]+);/.exec(read('src/core/agent.ts'))?.[1] ?? '';
    expect(table('policy').map(([policy]) => `'${policy}'`)).toEqual(policies.split(' | '));
    const statuses = Object.keys(letters());
    expect(table('status').map(([status]) => status)).toEqual([...statuses, 'not_started']);
  });

  it('name the limits that an agent has by default', () => {
    const { maxSteps, maxCostUsd, maxTokens, maxConsecutiveFailures, timeoutSeconds } = defaultLimits;
    const figures = [maxTokens, timeoutSeconds].map((figure) => figure.toLocaleString('en-US'));
    expect(readme.replaceAll('\n', ' ')).toContain(
      `${maxSteps} steps, $${maxCostUsd}, ${figures[0]} tokens, ${maxConsecutiveFailures} failures in a row and ${figures[1]} s`,
    );
  });
});

/** The statuses of a job in the order in which the stored format lists them. */
function letters(): Readonly<Record<string, string>> {
  const listed = /const letters = \{([^}]+)\}/.exec(read('src/core/head-format.ts'))?.[1] ?? '';
  return Object.fromEntries([...listed.matchAll(/(\w+): '(\w)'/g)].map(([, name, letter]) => [name, letter]));
}

describe('the agent of the README', () => {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-readme-'));
  const module = join(folder, 'agents.ts');
  const script = join(folder, 'answers.json');
  let agents: readonly Agent[];
  beforeAll(async () => {
    writeFileSync(module, blocks(readme, 'ts').find((block) => block.includes('defineAgent')) ?? '');
    writeFileSync(script, blocks(pages, 'json').find((block) => block.includes('"turns"')) ?? '');
    agents = await loadAgents(module);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  it('loads, and asks a person about large amounts only', () => {
    expect(agents.map((agent) => agent.name)).toEqual(['desk']);
    const gate = agents[0]?.tools.get('pay_back')?.gate;
    const asks = [1_000, 1_001].map((cents) => gate?.when({ orderId: 'A-1', cents }));
    expect(asks).toEqual([false, true]);
  });

  it('answers tickets by the script beside it', async () => {
    vi.stubEnv('TREADLE_REFUNDS_FILE', join(folder, 'refunds.jsonl'));
    const tickets = join(folder, 'tickets.csv');
    writeFileSync(tickets, 'id,subject,body\n1,Order,Where is A-1?\n');
    let shown = '';
    const terminal = { live: false, color: false, width: 100, ask: undefined, err: () => undefined };
    const options = {
      ...{
        files: [tickets],
        endpoint: undefined,
        agent: 'desk',
        out: join(folder, 'out'),
        data: undefined,
        fresh: false,
      },
      ...{ budgetUsd: undefined, maxCostUsd: undefined, maxSteps: undefined, concurrency: 10 },
      ...{ approvals: undefined, map: undefined, agents: module, modelScript: script },
      ...{ json: true, quiet: true },
    };
    const out = (text: string): void => {
      shown += text;
    };
    expect(await triage(options, { ...terminal, out }, {})).toBe(exitCode.done);
    expect(JSON.parse(shown)).toMatchObject({ jobs: { succeeded: 1 }, modelCalls: 2, scripted: true });
    const result: unknown = JSON.parse(readFileSync(join(folder, 'out/results.jsonl'), 'utf8'));
    expect(result).toMatchObject({ steps: 2, output: { summary: 'It is on its way.', confidence: 0.9 } });
  });
});
