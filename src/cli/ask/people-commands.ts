import { askCommand, type Declaring, run } from './ask-command.ts';
import { withPage } from './job-commands.ts';

/** The commands by which a person decides. */
export function peopleCommands(declaring: Declaring): void {
  withPage(
    askCommand(declaring, 'approvals', {
      description: 'List the calls that wait for a person, the one that waits longest first',
      example: 'approvals',
      json: 'a page: {"items": […], "cursor": …}',
    }).option('--whole', 'the tickets as long as they are, not only their first lines', false),
  ).action((options) =>
    run(declaring, options, async (asking) =>
      (await import('./approvals.ts')).listApprovals(asking, options),
    ),
  );
  decideCommand(declaring, 'approve', 'Approve a call that waits: it is run');
  decideCommand(declaring, 'deny', 'Deny a call that waits: the model is told, and goes on without it');
}

function decideCommand(declaring: Declaring, decision: 'approve' | 'deny', description: string): void {
  const reason = decision === 'deny' ? " --reason 'The cup was a gift.'" : '';
  askCommand(declaring, `${decision} <id> <call>`, {
    description,
    example: `${decision} job_6F1uXFy call_1_0${reason}`,
    json: 'the job with the decision',
  })
    .option(
      '--reason <text>',
      decision === 'deny' ? 'why; the model reads it' : 'why; kept with the decision',
    )
    .action((jobId: string, callId: string, options) =>
      run(
        declaring,
        options,
        async (asking) =>
          (await import('./decide.ts')).decide(asking, { jobId, callId, decision, reason: options.reason }),
        { name: `${jobId} ${callId}`, list: 'approvals' },
      ),
    );
}
