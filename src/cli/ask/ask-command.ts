import type { Command } from 'commander';
import { endpointOption } from '../endpoint.ts';
import { examples } from '../hint.ts';
import type { Subject } from '../refusals.ts';
import type { Terminal } from '../terminal.ts';
import { id } from '../values.ts';
import type { Asking, AskOptions } from './asking.ts';

/** Where commands are declared, and what they end with. */
export interface Declaring {
  readonly parent: Command;
  readonly terminal: Terminal;
  readonly finish: (code: number) => void;
}

export interface AskFacts {
  readonly description: string;
  /** Without `treadle`. */
  readonly example: string;
  /** What `--json` prints. */
  readonly json: string;
}

/** A command that asks a deployment: `usage` is its name with its arguments. */
export function askCommand({ parent }: Declaring, usage: string, facts: AskFacts): Command {
  const command = parent.command(usage);
  for (const argument of command.registeredArguments) {
    if (['id', 'call'].includes(argument.name())) argument.argParser(id);
    if (argument.name() === 'ids')
      argument.argParser((text, before: readonly string[] = []) => [...before, id(text)]);
  }
  return command
    .description(facts.description)
    .addHelpText('after', examples(facts.example))
    .addOption(endpointOption())
    .option('--json', `print ${facts.json}`, false);
}

/** Each command loads what it needs only when it is run: `--help` is there at once. */
export async function run(
  { terminal, finish }: Declaring,
  options: AskOptions,
  work: (asking: Asking) => Promise<number>,
  subject?: Subject,
): Promise<void> {
  const { ask } = await import('./asking.ts');
  finish(await ask(options, terminal, work, subject === undefined ? {} : { subject }));
}

export const jobSubject = (name: string): Subject => ({ name, list: 'jobs' });
export const batchSubject = (name: string): Subject => ({ name, list: 'batch list' });
