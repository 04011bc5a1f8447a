import * as z from 'zod';
import { component, listOf } from './common.ts';
import { limits } from './job.ts';

export const agent = component(
  'Agent',
  z.object({
    name: z.string(),
    version: z.string().describe('The hash of what its requests are made of'),
    model: z.string(),
    tools: z.array(z.string()),
    limits,
  }),
);

export const agentList = listOf('AgentList', agent);
