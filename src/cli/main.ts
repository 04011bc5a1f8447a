import { readFileSync, writeFileSync } from 'node:fs';
import { Argument, Command, CommanderError, Option } from 'commander';
import { describe } from '../app/handle.ts';
import { isObject } from '../core/content.ts';
import { RetryableError, TerminalError } from '../core/errors.ts';
import { spelled } from '../core/printed.ts';
import { redactText } from '../core/redact-log.ts';
import { cleanText } from '../core/safe-json.ts';
import { parseMap } from '../tickets/columns.ts';
import { batchCommands } from './ask/batch-commands.ts';
import { jobCommands } from './ask/job-commands.ts';
import { operatorCommands } from './ask/operator-commands.ts';
import { peopleCommands } from './ask/people-commands.ts';
import { completionScript, type Shell, shells } from './completion.ts';
import { triageDefaults } from './decide-command.ts';
import { endpointOption, namedEndpointOption } from './endpoint.ts';
import { exampleTickets } from './example-tickets.ts';
import { codeOfError, exitCode } from './exit-codes.ts';
import { examples, hint } from './hint.ts';
import { processTerminal, type Terminal } from './terminal.ts';
import { dollars, path, whole } from './values.ts';

/** The command line as it is declared; nothing runs until it is parsed. `finish` is told the exit code. */
export function createProgram(terminal: Terminal, finish: (code: number) => void): Command {
  const root = new Command('treadle')
    .description('Durable, budgeted agent loops: one loop step per queue message.')
    .version(version(), '--version', 'print the version')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .addHelpText('after', `${examples('triage tickets.csv')}  ${hint('COMMAND --help')} has one for each\n`);
  root.commandsGroup('On this machine:');
  triageCommand(root, terminal, finish);
  localCommands(root, terminal, finish);
  const declaring = { parent: root, terminal, finish };
  root.commandsGroup('Jobs of a deployment (--endpoint, or treadle dev):');
  jobCommands(declaring);
  root.commandsGroup('Batches:');
  batchCommands(declaring);
  root.commandsGroup('What waits for a person:');
  peopleCommands(declaring);
  root.commandsGroup('Operate and measure:');
  operatorCommands(declaring);
  askingCommands(root, terminal, finish);
  root.commandsGroup('Shell:');
  completionCommand(root, terminal);
  return root;
}

/** Of this package, which its manifest says, wherever it is installed. */
function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return isObject(manifest) ? String(manifest['version']) : '';
}

function localCommands(root: Command, terminal: Terminal, finish: (code: number) => void): void {
  root
    .command('dev')
    .description('Run the whole system on this machine until Ctrl-C: API, worker, reconciler, stand-ins')
    .option('--port <number>', 'the port of the API; 0 is any free one', whole(0, 65_535), 8787)
    .option('--data <folder>', 'where the state is kept (default: in memory)', path)
    .option('--agents <module>', 'a module that exports agents', process.env['TREADLE_AGENTS'])
    .option('--model-script <file>', 'answer from a script')
    .option('--chaos <switches>', 'what goes wrong on purpose: crash=0.05,duplicate=0.1,lost-answer=0.05')
    .option('--seed <number>', 'the draws of --chaos', whole(0, 4_294_967_295), 1)
    .option('--json', 'say that it is ready as one JSON line', false)
    .addHelpText('after', examples('dev --data .treadle --port 8787'))
    .action(async (options) => {
      const { dev } = await import('./dev.ts');
      finish(await dev(options, terminal, process.env));
    });
  root
    .command('model')
    .description('Serve the scripted model alone')
    .option('--model-script <file>', 'answer from a script; by rules without it')
    .option('--port <number>', 'the port; 0 is any free one', whole(0, 65_535), 0)
    .addHelpText('after', examples('model --model-script answers.json --port 8788'))
    .action(async (options) => {
      const { serveModel } = await import('./model.ts');
      finish(await serveModel(options, terminal, process.env));
    });
}

function completionCommand(root: Command, terminal: Terminal): void {
  root
    .command('completion')
    .description('Print the script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText(
      'after',
      `\nExample:\n  eval "$(${hint('completion bash')})"\n` +
        "In a clone, first:\n  alias treadle='npx --no treadle'\n",
    )
    .action((shell: Shell) => terminal.out(completionScript(root, shell)));
}

function triageCommand(root: Command, terminal: Terminal, finish: (code: number) => void): void {
  root
    .command('triage')
    .description('Triage ticket files on a local stack of its own, or on a deployment')
    .argument('[files...]', 'CSV, TSV, JSON or JSONL; - is stdin (default: the example tickets)')
    .addOption(namedEndpointOption())
    .option('--agent <name>', 'the agent that takes the tickets', triageDefaults.agent)
    .option('--out <folder>', 'where the results go', path, triageDefaults.out)
    .option('--data <folder>', 'where the state of the run is kept (default: <out>/state)', path)
    .option('--budget-usd <dollars>', 'the money of the whole run', dollars)
    .option('--max-cost-usd <dollars>', 'the ceiling of each job', dollars)
    .option('--max-steps <number>', 'the steps of each job', whole(1, 1_000_000))
    .option('--concurrency <number>', 'jobs that run at once', whole(1, 1_000), triageDefaults.concurrency)
    .option('--fresh', 'forget an earlier run', false)
    .addOption(
      new Option('--approvals <mode>', 'what to do with calls that need a person').choices([
        'ask',
        'deny',
        'leave',
      ]),
    )
    .option('--map <fields>', 'name columns: subject=Title,body=Text', (text) => parseMap(text))
    .option('--preview', 'show how the files will be read, and ask no model', false)
    .option('--agents <module>', 'a module that exports agents', process.env['TREADLE_AGENTS'])
    .option('--model-script <file>', 'answer from a script')
    .option('--json', 'print one JSON object', false)
    .option('--quiet', 'no progress, no table', false)
    .addHelpText(
      'after',
      examples(
        'triage tickets.csv --budget-usd 2 --out monday',
        'triage tickets.csv --endpoint http://127.0.0.1:8787',
      ),
    )
    .action(async (files: string[], options, command: Command) => {
      const wanted = { ...options, files: files.length === 0 ? [exampleTickets] : files };
      if (options.endpoint !== undefined) refuseLocalOptions(command);
      // Each command loads what it needs: a preview needs neither the local stack nor an SDK.
      if (options.preview) return finish(await (await import('./preview.ts')).preview(wanted, terminal));
      if (options.endpoint !== undefined) {
        const { triageRemote } = await import('./triage-remote.ts');
        return finish(await triageRemote(wanted, terminal, process.env));
      }
      const { triage } = await import('./triage.ts');
      finish(await triage(wanted, terminal, process.env));
    });
}

/** Options of `triage` that say something of a local stack, and who says it of a deployment. */
const localOnly: readonly (readonly [name: string, flag: string, why: string])[] = [
  ['concurrency', '--concurrency', 'the deployment says how many jobs run at once'],
  ['agents', '--agents', 'the deployment has agents of its own'],
  ['modelScript', '--model-script', 'the deployment asks the model'],
];

/** Only what was typed is refused: TREADLE_AGENTS is for the commands that load agents. */
function refuseLocalOptions(command: Command): void {
  for (const [name, flag, why] of localOnly) {
    if (command.getOptionValueSource(name) !== 'cli') continue;
    throw new TerminalError('usage', `${flag} is for the local stack: with --endpoint ${why}`);
  }
}

/** The commands that look at a deployment as a whole. */
function askingCommands(root: Command, terminal: Terminal, finish: (code: number) => void): void {
  root
    .command('doctor')
    .description('Check a deployment: one line for each check, and what to do where it fails')
    .addOption(endpointOption())
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', examples('doctor --endpoint http://127.0.0.1:8787'))
    .action(async (options) => {
      const { doctor } = await import('./doctor.ts');
      finish(await doctor(options, terminal));
    });
  root
    .command('console')
    .description('Serve the console for a deployment on this machine until Ctrl-C')
    .addOption(endpointOption())
    .option('--port <number>', 'the port of the console; 0 is any free one', whole(0, 65_535), 8790)
    .option('--json', 'say that it is ready as one JSON line', false)
    .addHelpText('after', examples('console --endpoint http://127.0.0.1:8787'))
    .action(async (options) => {
      const { serveConsole } = await import('./console.ts');
      finish(await serveConsole(options, terminal));
    });
  root
    .command('eval')
    .description('Run an agent over labelled tickets on a deployment, and measure its answers')
    .requiredOption(
      '--cases <file>',
      'tickets with columns expected.FIELD, or in JSON an object expected; - is stdin',
    )
    .addOption(endpointOption())
    .option('--agent <name>', 'the agent that takes the tickets', 'triage')
    .option('--budget-usd <dollars>', 'the money of the whole run', dollars, 1)
    .option('--max-steps <number>', 'the steps of each job', whole(1, 1_000_000))
    .option('--map <fields>', 'name columns: subject=Title,body=Text', (text) => parseMap(text))
    .option('--right-field <name...>', 'the fields that make an answer right, for confidence and review')
    .option('--save <file>', 'keep this run as a baseline; no ticket text is in it', path)
    .option('--baseline <file>', 'print the difference to a run that was saved')
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', examples('eval --cases examples/eval.jsonl --save baseline.json'))
    .action(async (options) => {
      const { evaluate } = await import('./eval.ts');
      finish(await evaluate(options, terminal));
    });
}

/** Runs one command. Returns its exit code; never rejects. */
export async function main(args: readonly string[], terminal = processTerminal()): Promise<number> {
  let code: number = exitCode.done;
  const root = createProgram(terminal, (finished) => {
    code = finished;
  });
  try {
    await root.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
    return report(error, terminal);
  }
}

/** One clear sentence for what a person can act on; anything else is a fault of ours and says where to look. */
function report(error: unknown, terminal: Terminal): number {
  if (error instanceof TerminalError || error instanceof RetryableError) {
    // A message may quote what another machine says.
    terminal.err(`treadle: ${redactText(cleanText(spelled(error.message)))}\n`);
    return codeOfError(error.code);
  }
  if (isOfMachine(error)) {
    terminal.err(`treadle: ${redactText(cleanText(spelled(error.message)))}\n`);
    return exitCode.error;
  }
  const file = 'treadle-error.log';
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const where = isWritten(file, `${redactText(details)}\n`)
    ? `its details are in ${file}`
    : `its details could not be written into ${file}`;
  terminal.err(`treadle: an unexpected ${describe(error).error}; ${where}\n`);
  return exitCode.error;
}

/** Files that may not be read or written, a full disk, too many open files: what a person mends, by the system's own words. */
const ofMachine: ReadonlySet<unknown> = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'EISDIR', 'ENOTDIR'],
  ...['ENAMETOOLONG', 'ENXIO', 'EBUSY'],
]);

const isOfMachine = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && 'code' in error && ofMachine.has(error.code);

function isWritten(file: string, text: string): boolean {
  try {
    writeFileSync(file, text);
    return true;
  } catch {
    return false;
  }
}
