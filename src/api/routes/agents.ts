import type { Agent } from '../../core/agent.ts';
import { freeze } from '../../core/frozen-agent.ts';
import { listQuery, pageAnswer, pageOf } from '../paging.ts';
import type { RouteContext } from '../route.ts';
import { defineRoute, type Route } from '../route.ts';
import { agentList } from '../schemas/agent.ts';

const agentView = ({ world }: RouteContext, agent: Agent) => ({
  name: agent.name,
  version: world.ids.hash(freeze(agent)),
  model: agent.model,
  tools: [...agent.tools.keys()],
  limits: agent.limits,
});

const listAgents = defineRoute({
  method: 'GET',
  path: '/agents',
  operationId: 'listAgents',
  tag: 'Agents',
  summary: 'The agents of this deployment',
  permission: 'read',
  query: listQuery,
  answers: { 200: { description: 'The agents', schema: agentList } },
  examples: [
    {
      name: 'agents',
      summary: 'All agents',
      given: 'nothing',
      request: {},
      answer: { status: 200 },
    },
    {
      name: 'limit',
      summary: 'A limit that no list takes',
      given: 'nothing',
      request: { query: { limit: '500' } },
      answer: { status: 400 },
    },
  ],
  handle: async (context, { query }) => {
    const agents = [...context.world.agents.values()].map((agent) => agentView(context, agent));
    return pageAnswer(pageOf(agents, query));
  },
});

export const agentRoutes: readonly Route[] = [listAgents];
