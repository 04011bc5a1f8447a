import { agents as shippedAgents } from '../agents/index.ts';
import type { Agent } from '../core/agent.ts';
import { TerminalError } from '../core/errors.ts';

/** The agent that a command names: one of those that the module exports, else of the shipped ones. */
export async function pickAgent(name: string, module: string | undefined): Promise<Agent> {
  const known = module === undefined ? shippedAgents : await agentsOf(module);
  const agent = known.find((one) => one.name === name);
  if (agent !== undefined) return agent;
  const names = known.map((one) => one.name).join(', ');
  throw new TerminalError('unknown_agent', `--agent ${name}: there is no such agent; there are: ${names}`);
}

/** The bundler is loaded only where there is a module. */
const agentsOf = async (module: string): Promise<readonly Agent[]> =>
  (await import('../local/load-agents.ts')).loadAgents(module);
