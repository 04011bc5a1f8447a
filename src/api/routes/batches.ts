import type { Route } from '../route.ts';
import { batchChangeRoutes } from './batch-changes.ts';
import { batchRowRoutes } from './batch-rows.ts';
import { batchViewRoutes } from './batch-views.ts';

export const batchRoutes: readonly Route[] = [...batchRowRoutes, ...batchViewRoutes, ...batchChangeRoutes];
