import { Option } from 'commander';
import { examples } from '../hint.ts';
import { askCommand, type Declaring, run } from './ask-command.ts';
import { costKeys } from './choices.ts';
import { withPage } from './job-commands.ts';

/** The commands of those who run a deployment. */
export function operatorCommands(declaring: Declaring): void {
  askCommand(declaring, 'status', {
    description: 'Show what is under way, what it costs, why things stopped and what needs you',
    example: 'status',
    json: 'one object: {"jobs", "batches", "cost", "stops", "needs", "health"}',
  }).action((options) =>
    run(declaring, options, async (asking) => (await import('./status.ts')).showStatus(asking)),
  );
  withPage(
    askCommand(declaring, 'cost', {
      description: 'Show what ended jobs have cost, as a table with bars',
      example: 'cost --by day --limit 7',
      json: 'a page: {"items": […], "cursor": …}',
    }).addOption(new Option('--by <key>', 'what the sums are made for').choices(costKeys).default('agent')),
  ).action((options) =>
    run(declaring, options, async (asking) => (await import('./cost.ts')).showCost(asking, options)),
  );
  deadLetterCommands(declaring);
  switchCommand(declaring, 'stop', 'Stop everything that costs money, until start-all; nothing is lost');
  switchCommand(declaring, 'start', 'Lift a stop-all');
}

function deadLetterCommands(outer: Declaring): void {
  const parent = outer.parent
    .command('dlq')
    .description('Look at messages that were given up, and send them again')
    .addHelpText('after', examples('dlq redrive --all'));
  const declaring = { ...outer, parent };
  withPage(
    askCommand(declaring, 'list', {
      description: 'List the dead letters, newest first',
      example: 'dlq list',
      json: 'a page: {"items": […], "cursor": …}',
    }),
  ).action((options) =>
    run(declaring, options, async (asking) =>
      (await import('./dead-letters.ts')).listDeadLetters(asking, options),
    ),
  );
  askCommand(declaring, 'redrive [ids...]', {
    description: 'Send the messages of dead letters again, once their cause is gone',
    example: 'dlq redrive --all',
    json: 'the letters: {"items": […], "cursor": null}',
  })
    .option('--all', 'all that were not sent again yet', false)
    .action((ids: string[], options) =>
      run(
        declaring,
        options,
        async (asking) => (await import('./dead-letters.ts')).redrive(asking, ids, options.all),
        ids.length === 1 ? { name: ids.join(), list: 'dlq list' } : undefined,
      ),
    );
}

function switchCommand(declaring: Declaring, name: 'stop' | 'start', description: string): void {
  const command = askCommand(declaring, `${name}-all`, {
    description,
    example: `${name}-all --everything`,
    json: 'how the switch stands',
  }).option('--everything', 'of every tenant, and not only your own', false);
  if (name === 'stop') command.option('--yes', 'do not ask first', false);
  command.action((options) =>
    run(declaring, options, async (asking) =>
      (await import('./control.ts')).switchAll(asking, name, { yes: true, ...options }),
    ),
  );
}
