import type { Route } from './route.ts';
import { agentRoutes } from './routes/agents.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { batchRoutes } from './routes/batches.ts';
import { jobRoutes } from './routes/jobs.ts';
import { operationRoutes } from './routes/operations.ts';

/** Every route of the API. To add one, add its entry to the list of its group. */
export const routes: readonly Route[] = [
  ...jobRoutes,
  ...approvalRoutes,
  ...batchRoutes,
  ...agentRoutes,
  ...operationRoutes,
];
