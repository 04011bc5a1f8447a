import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipReadOnly } from '../../../scripts/size/zip.ts';
import {
  type ExecutionEnvironment,
  type FunctionSettings,
  type InvocationEnd,
  openEnvironment,
} from './environment.ts';

export interface DeployedFunction {
  /** The answer of the handler; rejects as an invocation fails, with the type of the failure as the error's name. */
  readonly invoke: (event: unknown, trace?: string) => Promise<unknown>;
  /** How many environments were started. */
  readonly coldStarts: () => number;
  /** How many invocations were answered. */
  readonly answered: () => number;
  /** Of all environments that live. */
  readonly rssBytes: () => readonly number[];
  /** Of all environments, those that are no more among them. */
  readonly logs: () => string;
  readonly close: () => void;
}

function failureOf(end: Extract<InvocationEnd, { type: 'error' }>): Error {
  return Object.assign(new Error(end.message), { name: end.errorType });
}

/** Deploys an archive: unpacked once, where nobody may write, and run in as many environments as there are events at once. */
export function deploy(archive: Buffer, settings: FunctionSettings): DeployedFunction {
  const folder = mkdtempSync(join(tmpdir(), 'lambda-task-'));
  const root = join(folder, 'task');
  unzipReadOnly(archive, root);
  const idle: ExecutionEnvironment[] = [];
  const all = new Set<ExecutionEnvironment>();
  const opened: ExecutionEnvironment[] = [];
  let starts = 0;
  let answered = 0;
  const open = async (): Promise<ExecutionEnvironment> => {
    starts += 1;
    const environment = await openEnvironment(settings, root);
    all.add(environment);
    opened.push(environment);
    return environment;
  };
  return {
    invoke: async (event, trace) => {
      const environment = idle.pop() ?? (await open());
      const end = await environment.invoke(event, trace);
      if (environment.isAlive()) idle.push(environment);
      else all.delete(environment);
      if (end.type !== 'answer') throw failureOf(end);
      answered += 1;
      return end.payload;
    },
    coldStarts: () => starts,
    answered: () => answered,
    rssBytes: () => [...all].map((environment) => environment.rssBytes()),
    logs: () => opened.map((environment) => environment.logs()).join('\n'),
    close: () => {
      for (const environment of all) environment.close();
      for (const one of [root, join(root, 'chunks')]) if (existsSync(one)) chmodSync(one, 0o755);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
