import type { Client } from '../../client.ts';
import { TerminalError } from '../../core/errors.ts';
import { itemsOf } from './pages.ts';
import { visible } from './shown.ts';

export type DeployedAgent = Awaited<ReturnType<Client['agents']>>['items'][number];

/** The agent of a deployment by its name; one that is not there is wrong usage, with the names of those that are. */
export async function deployedAgent(client: Client, name: string): Promise<DeployedAgent> {
  const names: string[] = [];
  for await (const agent of itemsOf(client.agents)) {
    if (agent.name === name) return agent;
    names.push(visible(agent.name));
  }
  throw new TerminalError(
    'unknown_agent',
    `--agent ${name}: there is no such agent; there are: ${names.join(', ') || 'none'}`,
  );
}
