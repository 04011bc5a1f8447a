import { openApiDocument } from '../../src/api/openapi.ts';
import { routes } from '../../src/api/routes.ts';
import type { Target } from './target.ts';

/** How often each documented answer is to be seen. */
const AT_LEAST = 5;

/** Statuses that no request produces by itself, whatever the route. */
const neverAtWill: Readonly<Record<string, string>> = {
  503: '503 comes only when storage or queue have failed',
};

/** Counts answers by operation and status. */
export function createCoverage() {
  const seen = new Map<string, number>();
  return {
    add: (operationId: string, status: number): void => {
      const name = `${operationId} ${status}`;
      seen.set(name, (seen.get(name) ?? 0) + 1);
    },
    seen: seen as ReadonlyMap<string, number>,
  };
}

/** Every answer that the document names, as `operation status`. */
function documented(): readonly string[] {
  const document = openApiDocument(routes);
  const paths = document['paths'] as Record<
    string,
    Record<string, { operationId: string; responses: object }>
  >;
  return Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    ),
  );
}

/** Documented answers that were seen too seldom, and those that are left out with the reason. */
export function gaps(seen: ReadonlyMap<string, number>, target: Target) {
  const excused = new Map(target.cannotShow);
  const missing: { readonly operationId: string; readonly words: string }[] = [];
  const left = new Map<string, number>();
  for (const name of documented()) {
    const times = seen.get(name) ?? 0;
    if (times >= AT_LEAST) continue;
    const [operationId = '', status = ''] = name.split(' ');
    const reason = excused.get(name) ?? neverAtWill[status];
    const words = `${name}: seen ${times} times, at least ${AT_LEAST} are due`;
    if (reason === undefined) missing.push({ operationId, words });
    else left.set(reason, (left.get(reason) ?? 0) + 1);
  }
  return { missing, left: [...left].map(([reason, times]) => `${times} answers: ${reason}`) };
}

/** A table of what was answered, one line a route. */
export function table(seen: ReadonlyMap<string, number>): string {
  const byRoute = new Map<string, string[]>();
  for (const [name, times] of [...seen].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [route = '', status = ''] = name.split(' ');
    byRoute.set(route, [...(byRoute.get(route) ?? []), `${status}: ${times}`]);
  }
  return [...byRoute].map(([route, answers]) => `${route.padEnd(18)} ${answers.join('  ')}\n`).join('');
}
