import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Report, Task } from './worker.ts';

/** What all tasks together went through. */
export interface Total {
  schedules: number;
  steps: number;
  events: number;
  cpuMs: number;
  readonly struck: Map<string, number>;
  readonly found: NonNullable<Report['found']>[];
}

function createTotal(): Total {
  return { schedules: 0, steps: 0, events: 0, cpuMs: 0, struck: new Map(), found: [] };
}

function add(total: Total, report: Report): void {
  total.schedules += report.schedules;
  total.steps += report.steps;
  total.events += report.events;
  total.cpuMs += report.cpuMs;
  for (const [name, count] of report.struck) total.struck.set(name, (total.struck.get(name) ?? 0) + count);
  if (report.found !== undefined) total.found.push(report.found);
}

export interface Work {
  /** The bundled simulating process. */
  readonly file: string;
  readonly tasks: Iterator<Task>;
  /** Processes at once. @default one for each core */
  readonly processes?: number;
  readonly onReport?: (total: Total, report: Report) => void;
  /** No new task is begun once this is false. */
  readonly goOn: (total: Total) => boolean;
}

/** Shares the tasks out to processes. Rejects when one dies. */
export async function simulateAll(work: Work): Promise<Total> {
  const total = createTotal();
  const one = (child: ChildProcess): Promise<void> =>
    new Promise((resolve, reject) => {
      const next = (): void => {
        const task = work.goOn(total) ? work.tasks.next() : undefined;
        if (task === undefined || task.done === true) resolve();
        else child.send(task.value);
      };
      child.on('message', (report: Report) => {
        add(total, report);
        work.onReport?.(total, report);
        next();
      });
      child.on('error', reject);
      child.on('exit', (code, signal) => reject(new Error(`a simulating process died: ${code ?? signal}`)));
      next();
    });
  // Nearly everything dies young here: a large nursery halves the time spent on collecting garbage. There is a process for
  // each core: threads that help to collect only take from the others.
  const execArgv = ['--max-semi-space-size=64', '--single-threaded-gc'];
  const children = Array.from({ length: work.processes ?? availableParallelism() }, () =>
    fork(work.file, { execArgv }),
  );
  try {
    await Promise.all(children.map(one));
  } finally {
    for (const child of children) {
      child.removeAllListeners('exit');
      child.disconnect();
    }
  }
  return total;
}
