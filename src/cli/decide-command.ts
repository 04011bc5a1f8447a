import { join, relative } from 'node:path';
import { hint } from './hint.ts';
import { shellWord } from './shell-word.ts';
import type { TriageOptions } from './triage.ts';

/** What `triage` takes where nothing is said. */
export const triageDefaults = { agent: 'triage', out: 'triage-out', concurrency: 10 } as const;

/** An option that changes what a run is, where its state lies or what it may cost stands in the command that goes on with it. */
type Words = {
  readonly [Name in Exclude<keyof TriageOptions, 'files'>]: (value: TriageOptions[Name]) => readonly string[];
};

const none = (): readonly string[] => [];
const given =
  (option: string) =>
  (value: string | number | undefined): readonly string[] =>
    value === undefined ? [] : [option, String(value)];
const unless =
  <Value extends string | number>(usual: Value, option: string) =>
  (value: Value): readonly string[] =>
    value === usual ? [] : [option, String(value)];

const words: Words = {
  endpoint: given('--endpoint'),
  agent: unless<string>(triageDefaults.agent, '--agent'),
  agents: given('--agents'),
  modelScript: given('--model-script'),
  map: (map = {}) => {
    const parts = Object.entries(map).flatMap(([field, columns]) =>
      columns.map((column) => `${field}=${column}`),
    );
    return parts.length === 0 ? [] : ['--map', parts.join(',')];
  },
  out: unless<string>(triageDefaults.out, '--out'),
  data: given('--data'),
  budgetUsd: given('--budget-usd'),
  maxCostUsd: given('--max-cost-usd'),
  maxSteps: given('--max-steps'),
  concurrency: unless<number>(triageDefaults.concurrency, '--concurrency'),
  // It would pay for everything again.
  fresh: none,
  approvals: () => ['--approvals', 'ask'],
  // Whoever decides wants to see.
  json: none,
  quiet: none,
};

const names = Object.keys(words) as readonly (keyof Words)[];

function wordsOf<Name extends keyof Words>(name: Name, options: TriageOptions): readonly string[] {
  return words[name](options[name]);
}

/**
 * The commands that decide what a run left waiting: the run's own, so that it is found again and not begun anew. What came
 * from stdin cannot be read again, so there the stored run is served, and decided beside it.
 */
export function decideCommands(
  options: TriageOptions,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  if (options.files.includes('-') && options.endpoint !== undefined) {
    return [line(hint('approve JOB CALL'), words.endpoint(options.endpoint))];
  }
  if (options.files.includes('-')) return [consoleCommand(options), hint('approve JOB CALL')];
  const start = environment['npm_lifecycle_event'] === 'triage' ? 'npm run triage --' : hint('triage');
  return [line(start, [...options.files.map(fileWord), ...names.flatMap((name) => wordsOf(name, options))])];
}

/** The command that shows what a run left waiting in the console. */
export function consoleCommand({ endpoint, data, out, agents, modelScript }: TriageOptions): string {
  if (endpoint !== undefined) return line(hint('console'), words.endpoint(endpoint));
  const served = ['--data', data ?? join(out, 'state'), ...words.agents(agents)];
  return line(hint('dev'), [...served, ...words.modelScript(modelScript)]);
}

const line = (start: string, rest: readonly string[]): string => [start, ...rest.map(shellWord)].join(' ');

/** A file by its short name, which must not look like an option. */
function fileWord(file: string): string {
  const name = relative(process.cwd(), file) || file;
  return name.startsWith('-') ? `./${name}` : name;
}
