import { useState } from 'preact/hooks';
import type { Job } from '../../client.ts';
import { api } from '../api.ts';
import { save } from '../files.ts';
import { modelScriptOf } from '../model/model-script.ts';
import type { Step } from '../model/step.ts';
import { useDoing } from '../notice.ts';
import { Copy } from '../parts/copy.tsx';
import { LongText } from '../parts/long-text.tsx';
import { readAll } from '../read-all.ts';

interface ReplayProps {
  readonly job: Job;
  readonly steps: readonly Step[];
}

const UNKNOWN_MODEL = 'scripted-1';

/** Everything of a job as data, and its replies as a script that gives them again on one's own machine. */
export function Replay({ job, steps }: ReplayProps) {
  const { perform } = useDoing();
  const script = async (): Promise<string> => {
    const [messages, agents] = await Promise.all([
      readAll((page) => api().messages(job.id, page)),
      api().agents(),
    ]);
    const model = agents.items.find(({ name }) => name === job.agent)?.model ?? UNKNOWN_MODEL;
    return JSON.stringify(modelScriptOf(job, model, steps, messages), null, 1);
  };
  const raw = (): string => JSON.stringify({ job, steps }, null, 2);
  const request = (): string =>
    JSON.stringify({ agent: job.agent, input: job.input, metadata: job.metadata });
  const file = async (): Promise<void> => save(`${job.id}.script.json`, 'application/json', [await script()]);
  return (
    <section aria-labelledby="replay">
      <h2 id="replay">Replay and raw data</h2>
      {steps.length > 0 && (
        <>
          <p class="soft">
            The replies of this job as a model script: with it the same run is played again on your machine,
            at no cost, to look at a tool or a limit.
          </p>
          <ol class="how">
            <li>
              Save the script, and start{' '}
              <code>npx --no treadle dev --port 0 --model-script {job.id}.script.json</code>, with{' '}
              <code>--agents</code> where the agent is your own. It prints where it listens.
            </li>
            <li>
              Send the same request to it: <code>POST /jobs</code> with the copied body.
            </li>
            <li>
              Calls that waited for a person wait again: decide them in the console of that <code>dev</code>.
            </li>
          </ol>
        </>
      )}
      <div class="buttons">
        {steps.length > 0 && (
          <>
            <button type="button" onClick={() => void perform(file, 'Saved the model script.')}>
              Save as model script
            </button>
            <Copy what="as model script" text={script} />
            <Copy what="the request" text={request} />
          </>
        )}
        <Copy what="raw JSON" text={raw} />
      </div>
      <RawJson text={raw} />
    </section>
  );
}

/** Made only when somebody looks: a long trace is megabytes. */
function RawJson({ text }: { readonly text: () => string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Raw JSON</summary>
      {open && <LongText text={text()} label="the raw JSON" />}
    </details>
  );
}
