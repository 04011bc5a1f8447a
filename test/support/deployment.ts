import { agents } from '../../src/agents/deployed.ts';
import { createApi } from '../../src/api/app.ts';
import { apiFiles } from '../../src/api-files.ts';
import { triageDefaults } from '../../src/cli/decide-command.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import type { TriageOptions } from '../../src/cli/triage.ts';
import { triageRemote } from '../../src/cli/triage-remote.ts';
import { createClient } from '../../src/client.ts';
import { identifyLocally } from '../../src/local/api-server.ts';
import { keptTerminal, type Said } from './command-line.ts';
import { handleOne, VISIBILITY_MS } from './drive.ts';
import { strictModel } from './example-run.ts';
import { memoryWorld, type TestWorld } from './world.ts';

const endpoint = 'http://127.0.0.1:8787';
/** Thrown where a test stops a run as a kill would. */
export class Killed extends Error {}

export interface Deployment {
  readonly world: TestWorld;
  readonly client: ReturnType<typeof createClient>;
  /** Requests that changed something: `POST /batches`. */
  readonly changes: string[];
  readonly asked: () => number;
  /** Called after each request was carried out, before its answer is given. */
  after: (change: string) => void;
  readonly run: (given: Given, ways?: Ways) => Promise<Said>;
}

type Given = Pick<TriageOptions, 'files' | 'out'> & Partial<TriageOptions>;

interface Ways {
  readonly terminal?: Partial<Terminal>;
  readonly interrupt?: AbortController;
  /** In place of the work of a deployment between two looks at it. */
  readonly between?: () => Promise<unknown>;
}

/** A deployment in memory; whoever waits for it makes it work. */
export function deployment(): Deployment {
  const { model, client: strict } = strictModel();
  const world = memoryWorld({ agents, model: strict });
  const api = createApi({ world, identify: identifyLocally, files: apiFiles });
  const there: Deployment = {
    world,
    client: createClient({ endpoint, fetch: (input, init) => send(input, init) }),
    changes: [],
    asked: () => model.calls().length,
    after: () => undefined,
    run: async (given, { terminal: over, interrupt, between } = {}) => {
      const { terminal, said } = keptTerminal(over);
      const options = {
        ...{ ...triageDefaults, endpoint, data: undefined, map: undefined },
        ...{ budgetUsd: undefined, maxCostUsd: undefined, maxSteps: undefined, fresh: false, quiet: false },
        ...{ approvals: undefined, agents: undefined, modelScript: undefined, json: false, ...given },
      };
      const sleep = async () => void (await (between ?? (() => work(world)))());
      const parts = { send, clock: { now: world.clock.now, sleep }, ...(interrupt && { interrupt }) };
      const code = await triageRemote(
        { ...options, endpoint: given.endpoint ?? endpoint },
        terminal,
        {},
        parts,
      );
      return { code, ...said() };
    },
  };
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const response = await api.fetch(request);
    const change = `${request.method} ${new URL(request.url).pathname.replace(/batch_[^/]+|job_[^/]+/, 'ID')}`;
    if (request.method !== 'GET') there.changes.push(change);
    there.after(change);
    return response;
  };
  return there;
}

/** What it does in a second: a batch whose jobs wait for a person never has nothing to do. */
async function work(world: TestWorld): Promise<void> {
  for (let handled = 0; handled < 1_000; handled += 1) {
    const [message] = world.queue.receive(1, VISIBILITY_MS);
    if (message === undefined) break;
    await handleOne(world, message);
  }
  await world.clock.advance(1_000);
}
