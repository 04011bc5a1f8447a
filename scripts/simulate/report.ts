import type { Fault } from '../../src/testing/simulation/faults.ts';
import type { Report } from './worker.ts';

type Found = NonNullable<Report['found']>;

/** What broke, and the one command that plays it again. */
export function describeFound({ seed, job, violation, faults }: Found): string {
  const of = job === '' ? '' : ` --job '${job}'`;
  return [
    `BROKEN: ${violation.invariant}: ${violation.jobId}: ${violation.what}`,
    `  play it again: npm run simulate -- --seed ${seed}${of} --faults '${faults.join('; ')}'`,
  ].join('\n');
}

type Struck = ReadonlyMap<string, number>;

function divided(struck: Struck): { seams: readonly string[]; faults: readonly string[] } {
  const names = [...struck.keys()].map((name) => name.split('='));
  const unique = (at: number): string[] => [...new Set(names.map((parts) => parts[at] ?? ''))];
  return { seams: unique(0).sort(), faults: unique(1) };
}

const order: readonly Fault[] = [
  ...(['crash before', 'crash after', 'throttled', 'answer lost', 'lands late'] as const),
  ...(['asleep before', 'asleep after', 'stale', 'lost', 'delayed', 'twice'] as const),
  ...(['429', '529', '500', 'timed out', 'cut', 'HTML', 'no usage'] as const),
  ...(['throws before', 'throws after', 'slow', 'never'] as const),
];

/** One line for each seam, one column for each fault; as Markdown. */
export function faultTable(struck: Struck): string {
  const { seams } = divided(struck);
  const lines = seams.map((seam) => {
    const cells = order.map((fault) => struck.get(`${seam}=${fault}`) ?? '');
    return `| ${[seam, ...cells].join(' | ')} |`;
  });
  return [`| seam | ${order.join(' | ')} |`, `|---|${'---|'.repeat(order.length)}`, ...lines].join('\n');
}

/** Faults that struck at a seam, but fewer than `atLeast` times. */
export function rarest(struck: Struck, atLeast: number): readonly (readonly [string, number])[] {
  return [...struck].filter(([, count]) => count < atLeast).sort((a, b) => a[1] - b[1]);
}
