import { Option } from 'commander';
import type { Batch, Client } from '../../client.ts';
import { parseMap } from '../../tickets/columns.ts';
import { examples } from '../hint.ts';
import { dollars, key } from '../values.ts';
import { askCommand, batchSubject, type Declaring, run } from './ask-command.ts';
import { withLimits, withPage } from './job-commands.ts';

/** The commands about batches, under `batch`. */
export function batchCommands(outer: Declaring): void {
  const parent = outer.parent
    .command('batch')
    .description('Submit ticket files as batches, look at them and change them')
    .addHelpText('after', examples('batch submit tickets.csv --budget-usd 2'));
  const declaring = { ...outer, parent };
  submitCommand(declaring);
  viewCommands(declaring);
  resultsCommand(declaring);
  changeCommand(declaring, 'pause', 'Start no more rows of a batch', (client, id) => client.pauseBatch(id));
  changeCommand(declaring, 'resume', 'Let a paused batch go on', (client, id) => client.resumeBatch(id));
  changeCommand(declaring, 'cancel', 'Cancel a batch and its jobs', (client, id) => client.cancelBatch(id));
  extendCommand(declaring);
}

function submitCommand(declaring: Declaring): void {
  const command = askCommand(declaring, 'submit <files...>', {
    description: 'Submit the rows of files as one batch',
    example: 'batch submit tickets.csv --agent triage --budget-usd 2 --key monday',
    json: 'the batch, with the rows that were rejected',
  })
    .option('--agent <name>', 'the agent that takes the rows', 'triage')
    .option('--budget-usd <dollars>', 'the pool that all jobs share', dollars);
  withLimits(command, 'each job')
    .option('--map <fields>', 'name columns: subject=Title,body=Text', (text) => parseMap(text))
    .option('--webhook <url>', 'told when a job ends or waits for a person')
    .option('--key <text>', 'an Idempotency-Key: the same key and files are the same batch', key)
    .action((files: string[], options) =>
      run(declaring, options, async (asking) =>
        (await import('./batch-submit.ts')).submitBatch(asking, files, options),
      ),
    );
}

function viewCommands(declaring: Declaring): void {
  withPage(
    askCommand(declaring, 'list', {
      description: 'List the batches, newest first',
      example: 'batch list --limit 10',
      json: 'a page: {"items": […], "cursor": …}',
    }),
  ).action((options) =>
    run(declaring, options, async (asking) => (await import('./batches.ts')).listBatches(asking, options)),
  );
  askCommand(declaring, 'status <id>', {
    description: 'Show how a batch stands',
    example: 'batch status batch_9mK2xq',
    json: 'the batch',
  }).action((id: string, options) =>
    run(
      declaring,
      options,
      async (asking) => (await import('./batches.ts')).showBatch(asking, (client) => client.batch(id)),
      batchSubject(id),
    ),
  );
}

function resultsCommand(declaring: Declaring): void {
  askCommand(declaring, 'results <id>', {
    description: 'Print the results of the rows that ended so far',
    example: 'batch results batch_9mK2xq --follow > results.jsonl',
    json: 'JSON lines, as without it',
  })
    .addOption(
      new Option('--format <format>', 'one JSON object a line, or a table')
        .choices(['jsonl', 'csv'])
        .default('jsonl'),
    )
    .option('--follow', 'go on until nothing more happens without a person', false)
    .action((id: string, options) =>
      run(
        declaring,
        options,
        async (asking) => (await import('./batch-results.ts')).batchResults(asking, id, options),
        batchSubject(id),
      ),
    );
}

function changeCommand(
  declaring: Declaring,
  name: 'pause' | 'resume' | 'cancel',
  description: string,
  change: (client: Client, id: string) => Promise<Batch>,
): void {
  const example = `batch ${name} batch_9mK2xq`;
  askCommand(declaring, `${name} <id>`, { description, example, json: 'the batch as it then stands' }).action(
    (id: string, options) =>
      run(
        declaring,
        options,
        async (asking) => (await import('./batches.ts')).showBatch(asking, (client) => change(client, id)),
        batchSubject(id),
      ),
  );
}

function extendCommand(declaring: Declaring): void {
  askCommand(declaring, 'extend <id>', {
    description: 'Add money to the pool of a batch',
    example: 'batch extend batch_9mK2xq --add-usd 1',
    json: 'the batch as it then stands',
  })
    .requiredOption('--add-usd <dollars>', 'more money', dollars)
    .option('--key <text>', 'an Idempotency-Key: the same key adds only once', key)
    .action((id: string, options) =>
      run(
        declaring,
        options,
        async (asking) =>
          (await import('./batches.ts')).showBatch(asking, (client) =>
            client.extendBatch(
              id,
              options.addUsd,
              options.key === undefined ? {} : { idempotencyKey: options.key },
            ),
          ),
        batchSubject(id),
      ),
    );
}
