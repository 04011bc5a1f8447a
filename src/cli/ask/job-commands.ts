import { type Command, Option } from 'commander';
import { dollars, key, pairs, whole } from '../values.ts';
import { askCommand, batchSubject, type Declaring, jobSubject, run } from './ask-command.ts';
import { jobStatuses, stopReasons } from './choices.ts';

/** What a list command shows of its list. */
export function withPage(command: Command): Command {
  return command
    .option('--limit <number>', 'how many are shown, from 1 to 200', whole(1, 200), 50)
    .option('--cursor <cursor>', 'go on where an earlier answer ended')
    .option('--all', 'everything from there on', false);
}

/** The limits of a job or of each job of a batch. */
export function withLimits(command: Command, of: string): Command {
  return command
    .option('--max-cost-usd <dollars>', `the ceiling of ${of}`, dollars)
    .option('--max-steps <number>', `the steps of ${of}`, whole(1, 1_000_000))
    .option('--max-tokens <number>', `the tokens of ${of}, of all four kinds`, whole(1, 1e12))
    .option('--max-consecutive-failures <number>', 'failed steps in a row', whole(1, 1_000_000))
    .option(
      '--timeout-seconds <number>',
      'without the time spent waiting for a person',
      whole(1, 31_622_400),
    );
}

/** The commands about jobs, each one by itself. */
export function jobCommands(declaring: Declaring): void {
  submitCommand(declaring);
  listCommand(declaring);
  watchCommands(declaring);
  changeCommands(declaring);
  deleteCommand(declaring);
}

function submitCommand(declaring: Declaring): void {
  const command = askCommand(declaring, 'submit [input]', {
    description: 'Submit one job',
    example: "submit 'Where is my parcel ORD-1001?' --max-cost-usd 0.02",
    json: 'the job',
  }).option('--agent <name>', 'the agent that takes it', 'triage');
  withLimits(command, 'the job')
    .option('--file <file>', 'take the input from a file, a JSON object as one; - is stdin')
    .option('--metadata <name=value>', 'kept with the job; may be repeated', pairs)
    .option('--webhook <url>', 'told when the job ends or waits for a person')
    .option('--key <text>', 'an Idempotency-Key: the same key is the same job', key)
    .action((input: string | undefined, options) =>
      run(declaring, options, async (asking) =>
        (await import('./submit.ts')).submitJob(asking, input, options),
      ),
    );
}

function listCommand(declaring: Declaring): void {
  const command = askCommand(declaring, 'jobs', {
    description: 'List the jobs, newest first',
    example: 'jobs --status stopped --stop cost_ceiling --all',
    json: 'a page: {"items": […], "cursor": …}',
  })
    .addOption(new Option('--status <status>', 'only jobs that stand so').choices(jobStatuses))
    .addOption(new Option('--stop <reason>', 'only jobs that ended by this reason').choices(stopReasons))
    .option('--agent <name>', 'only jobs of this agent')
    .option('--batch <id>', 'only jobs of this batch');
  withPage(command).action(({ endpoint, json, ...wanted }) =>
    run(
      declaring,
      { endpoint, json },
      async (asking) => (await import('./list-jobs.ts')).listJobs(asking, wanted),
      wanted.batch === undefined ? undefined : batchSubject(wanted.batch),
    ),
  );
}

function watchCommands(declaring: Declaring): void {
  askCommand(declaring, 'watch <id>', {
    description: 'Show how a job or a batch goes on until it has ended or waits for a person',
    example: 'watch batch_9mK2xq',
    json: 'the job or the batch as it ended',
  }).action((id: string, options) =>
    run(
      declaring,
      options,
      async (asking) => (await import('./watch.ts')).watch(asking, id),
      id.startsWith('batch_') ? batchSubject(id) : jobSubject(id),
    ),
  );
  askCommand(declaring, 'trace <id>', {
    description: 'Show what a job did, step by step: time, money and calls',
    example: 'trace job_6F1uXFy',
    json: 'its steps: {"items": […], "cursor": null}',
  }).action((id: string, options) =>
    run(declaring, options, async (asking) => (await import('./trace.ts')).trace(asking, id), jobSubject(id)),
  );
}

const changed = 'the job as it then stands';

function changeCommands(declaring: Declaring): void {
  askCommand(declaring, 'cancel <id>', {
    description: 'Cancel a job; a request under way is waited for',
    example: 'cancel job_6F1uXFy',
    json: changed,
  }).action((id: string, options) =>
    run(
      declaring,
      options,
      async (asking) => (await import('./change-job.ts')).changeJob(asking, (client) => client.cancel(id)),
      jobSubject(id),
    ),
  );
  askCommand(declaring, 'extend <id>', {
    description: 'Raise the limits of a stopped job, so that it goes on',
    example: 'extend job_6F1uXFy --add-usd 0.05 --add-steps 4',
    json: changed,
  })
    .option('--add-usd <dollars>', 'more money', dollars)
    .option('--add-steps <number>', 'more steps', whole(1, 1_000_000))
    .option('--add-tokens <number>', 'more tokens', whole(1, 1e12))
    .option('--add-seconds <number>', 'more time', whole(1, 31_622_400))
    .action((id: string, { endpoint, json, ...more }) =>
      run(
        declaring,
        { endpoint, json },
        async (asking) => (await import('./extend-job.ts')).extendJob(asking, id, more),
        jobSubject(id),
      ),
    );
  askCommand(declaring, 'retry <id>', {
    description: 'Try a failed or stopped job again',
    example: 'retry job_6F1uXFy --from-step 2',
    json: changed,
  })
    .option('--from-step <number>', 'from the start of this step', whole(1, 1_000_000))
    .action((id: string, { endpoint, json, ...from }) =>
      run(
        declaring,
        { endpoint, json },
        async (asking) =>
          (await import('./change-job.ts')).changeJob(asking, (client) => client.retry(id, from)),
        jobSubject(id),
      ),
    );
}

function deleteCommand(declaring: Declaring): void {
  askCommand(declaring, 'delete <id>', {
    description: 'Delete the input, transcript and results of an ended job',
    example: 'delete job_6F1uXFy --yes',
    json: 'nothing',
  })
    .option('--yes', 'do not ask first', false)
    .action((id: string, options) =>
      run(
        declaring,
        options,
        async (asking) => (await import('./change-job.ts')).deleteJob(asking, id, options.yes),
        jobSubject(id),
      ),
    );
}
