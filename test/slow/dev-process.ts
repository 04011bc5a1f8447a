import { type Client, createClient } from '../../src/client.ts';
import { cleanEnvironment, type Running, start } from './processes.ts';

export interface Dev {
  readonly running: Running;
  readonly api: string;
  readonly sqs: string;
  readonly client: Client;
  /** What it has logged so far. */
  readonly logs: () => string;
  readonly calls: () => Promise<readonly { readonly status: number }[]>;
  readonly kill: () => Promise<void>;
}

/** `treadle dev` as a process of its own, once it says that it is ready. */
export async function runDev(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Dev> {
  const running = start(['dev', '--port', '0', '--json', ...args], cleanEnvironment(environment));
  let logs = '';
  running.child.stderr?.on('data', (chunk) => {
    logs += String(chunk);
  });
  const line = await new Promise<string>((resolve, reject) => {
    running.child.stdout?.once('data', (chunk) => resolve(String(chunk)));
    void running.finished.then(({ stderr }) => reject(new Error(`dev ended: ${stderr}`)));
  });
  const { api, model, sqs } = JSON.parse(line);
  return {
    ...{ running, api, sqs, client: createClient({ endpoint: api }), logs: () => logs },
    calls: async () =>
      ((await (await fetch(`${model}/_calls`)).json()) as { calls: { status: number }[] }).calls,
    kill: async () => {
      running.child.kill('SIGKILL');
      await running.finished;
    },
  };
}
