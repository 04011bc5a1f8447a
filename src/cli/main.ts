import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { describe } from '../app/handle.ts';
import { RetryableError, TerminalError } from '../core/errors.ts';
import { redactText } from '../core/redact-log.ts';
import { parseMap } from '../tickets/columns.ts';
import { endpointOption } from './endpoint.ts';
import { codeOfError, exitCode } from './exit-codes.ts';
import { processTerminal, type Terminal } from './terminal.ts';

const exampleTickets = fileURLToPath(new URL('../../examples/tickets.csv', import.meta.url));

function dollars(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value < 0.000001 || value > 1_000_000) {
    throw new InvalidArgumentError('expected US dollars, such as 0.50: at least 0.000001, at most 1000000.');
  }
  return value;
}

function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

function program(terminal: Terminal, finish: (code: number) => void): Command {
  const root = new Command('treadle')
    .description('Durable, budgeted agent loops: one loop step per queue message.')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  triageCommand(root, terminal, finish);
  root
    .command('dev')
    .description('Run the whole system on this machine until Ctrl-C: API, worker, reconciler, stand-ins')
    .option('--port <number>', 'the port of the API; 0 is any free one', whole(0, 65_535), 8787)
    .option('--data <folder>', 'where the state is kept (default: in memory)')
    .option('--agents <module>', 'a module that exports agents', process.env['TREADLE_AGENTS'])
    .option('--model-script <file>', 'answer from a script')
    .option('--chaos <switches>', 'what goes wrong on purpose: crash=0.05,duplicate=0.1,lost-answer=0.05')
    .option('--seed <number>', 'the draws of --chaos', whole(0, 4_294_967_295), 1)
    .option('--json', 'say that it is ready as one JSON line', false)
    .addHelpText('after', '\nExample:\n  treadle dev --data .treadle --port 8787\n')
    .action(async (options) => {
      const { dev } = await import('./dev.ts');
      finish(await dev(options, terminal, process.env));
    });
  root
    .command('model')
    .description('Serve the scripted model alone')
    .option('--model-script <file>', 'answer from a script; by rules without it')
    .option('--port <number>', 'the port; 0 is any free one', whole(0, 65_535), 0)
    .addHelpText('after', '\nExample:\n  treadle model --model-script answers.json --port 8788\n')
    .action(async (options) => {
      const { serveModel } = await import('./model.ts');
      finish(await serveModel(options, terminal, process.env));
    });
  askingCommands(root, terminal, finish);
  return root;
}

function triageCommand(root: Command, terminal: Terminal, finish: (code: number) => void): void {
  root
    .command('triage')
    .description('Triage ticket files on a local stack of its own')
    .argument('[files...]', 'CSV, TSV, JSON or JSONL; - is stdin (default: the example tickets)')
    .option('--agent <name>', 'the agent that takes the tickets', 'triage')
    .option('--out <folder>', 'where the results go', 'triage-out')
    .option('--data <folder>', 'where the state of the run is kept (default: <out>/state)')
    .option('--budget-usd <dollars>', 'the money of the whole run', dollars)
    .option('--max-cost-usd <dollars>', 'the ceiling of each job', dollars)
    .option('--max-steps <number>', 'the steps of each job', whole(1, 1_000_000))
    .option('--concurrency <number>', 'jobs that run at once', whole(1, 1_000), 10)
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
    .addHelpText('after', '\nExample:\n  treadle triage tickets.csv --budget-usd 2 --out monday\n')
    .action(async (files: string[], options) => {
      const wanted = { ...options, files: files.length === 0 ? [exampleTickets] : files };
      // Each command loads what it needs: a preview needs neither the local stack nor an SDK.
      if (options.preview) return finish(await (await import('./preview.ts')).preview(wanted, terminal));
      const { triage } = await import('./triage.ts');
      finish(await triage(wanted, terminal, process.env));
    });
}

/** The commands that ask a deployment, here or on AWS. */
function askingCommands(root: Command, terminal: Terminal, finish: (code: number) => void): void {
  root
    .command('doctor')
    .description('Check a deployment: one line for each check, and what to do where it fails')
    .addOption(endpointOption())
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', '\nExample:\n  treadle doctor --endpoint http://127.0.0.1:8787\n')
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
    .addHelpText('after', '\nExample:\n  treadle console --endpoint http://127.0.0.1:8787\n')
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
    .option('--save <file>', 'keep this run as a baseline; no ticket text is in it')
    .option('--baseline <file>', 'print the difference to a run that was saved')
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', '\nExample:\n  treadle eval --cases examples/eval.jsonl --save baseline.json\n')
    .action(async (options) => {
      const { evaluate } = await import('./eval.ts');
      finish(await evaluate(options, terminal));
    });
}

/** Runs one command. Returns its exit code; never rejects. */
export async function main(args: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  let code: number = exitCode.done;
  const root = program(terminal, (finished) => {
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
    terminal.err(`treadle: ${redactText(error.message)}\n`);
    return codeOfError(error.code);
  }
  const file = 'treadle-error.log';
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  writeFileSync(file, `${redactText(details)}\n`);
  terminal.err(`treadle: an unexpected ${describe(error).error}; its details are in ${file}\n`);
  return exitCode.error;
}
