import { start, stop } from '../../app/control.ts';
import { json, refuse } from '../answer.ts';
import { problem } from '../problem.ts';
import { KIB } from '../read-body.ts';
import { defineRoute, type Route } from '../route.ts';
import { control, switched } from '../schemas/operations.ts';
import * as examples from './operation-examples.ts';

function switchRoute(name: 'stop' | 'start', summary: string, description: string): Route {
  const stopped = name === 'stop';
  return defineRoute({
    ...{ summary, description, examples: examples.control(name) },
    method: 'POST',
    path: `/control/${name}`,
    operationId: stopped ? 'stopAll' : 'startAll',
    tag: 'Operations',
    permission: 'control',
    body: { schema: control, maxBytes: 16 * KIB, optional: true },
    answers: { 200: { description: 'How the switch stands', schema: switched } },
    handle: async ({ world, identity }, { body: { scope = 'tenant' } }) => {
      if (scope === 'all' && !identity.permissions.has('control_all')) {
        return refuse(problem(403, 'forbidden', 'scope all needs the permission control_all'));
      }
      const target = scope === 'all' ? 'everything' : { tenant: identity.tenant };
      await (stopped ? stop : start)(world, target);
      return json(200, { stopped, scope });
    },
  });
}

export const controlRoutes: readonly Route[] = [
  switchRoute(
    'stop',
    'Stop everything that costs money',
    'Nothing is admitted or called until it is started again, and nothing is lost: for the tenant of the caller, or with the permission `control_all` for all.',
  ),
  switchRoute('start', 'Lift a stop', 'What waited goes on within three minutes, most of it within one.'),
];
