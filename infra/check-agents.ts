import { readPrices } from '../src/core/prices.ts';
import { type Inspected, inspectAgents } from '../src/inspect-agents.ts';
import type { AgentWorkerProps } from './props.ts';

/**
 * Loads the module of a user's agents, and refuses what would only fail once it is deployed: one that does not load,
 * exports no agents, two of one name, or one whose model has no price.
 */
export function checkAgents(module: string, prices: AgentWorkerProps['prices']): void {
  const why = wrongWith(inspectAgents(module), prices);
  if (why !== undefined) throw new Error(`AgentWorker: agents: ${module} ${why}`);
}

function wrongWith(found: Inspected, prices: AgentWorkerProps['prices']): string | undefined {
  if ('error' in found) return `does not load: ${found.error}`;
  const { agents } = found;
  if (!agents || agents.length === 0)
    return 'does not export `agents`, a list of one at the least, made with defineAgent';
  const table = readPrices(JSON.stringify(prices ?? {}));
  for (const [at, { name, model }] of agents.entries()) {
    if (agents.findIndex((other) => other.name === name) < at) return `has two agents named ${name}`;
    if (table[model] === undefined)
      return `has the agent ${name}, whose model ${model} has no price: give one by the prop prices`;
  }
  return undefined;
}
