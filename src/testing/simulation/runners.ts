import type { World } from '../../app/world.ts';
import type { Machines } from './machines.ts';
import { createMemory, type Memory, type Setup, worldOf } from './process-world.ts';
import { type Process, type Sim, untouched } from './sim.ts';

/** A process with the world it sees. One that came to its end in health goes on to the next thing with all it remembers. */
export interface Runner {
  readonly process: Process;
  readonly world: World;
}

export interface Runners {
  /** A process with `memory`, or a memory of its own: one of `rested` that did the same before, or a new one. */
  readonly spawn: (
    actor: string,
    memory: Memory | undefined,
    rested: Runner[],
    onKill: (process: Process) => void,
  ) => Runner;
  /** It is dead. */
  readonly over: (process: Process) => void;
  /** It is done, with nothing of it still under way, and may be used again. */
  readonly rest: (runner: Runner, rested: Runner[]) => void;
  /** It is done, and lives on only in what it left under way. */
  readonly done: (runner: Runner) => void;
  /** Runs `work` in a process of its own, which dies alone, and tells how that ended. */
  readonly alone: (
    actor: string,
    work: (world: World, process: Process) => Promise<unknown>,
    then: (how: unknown) => void,
  ) => void;
  readonly alive: () => number;
}

function createRunner(
  sim: Sim,
  setup: Setup,
  machines: Machines,
  actor: string,
  memory = createMemory(sim.random, machines),
): Runner {
  const process: Process = {
    actor,
    skewMs: memory.skewMs,
    alive: true,
    kill: () => undefined,
    ...untouched(),
  };
  return { process, world: worldOf(sim, process, setup, memory) };
}

/** Starts, kills and reuses the processes of a run. */
export function createRunners(sim: Sim, setup: Setup, machines: Machines): Runners {
  const alive = new Set<Process>();
  const idle: Runner[] = [];
  const spawn: Runners['spawn'] = (actor, memory, rested, onKill) => {
    const at = rested.findIndex(({ process }) => process.actor === actor);
    const used = at < 0 ? undefined : rested.splice(at, 1)[0];
    const runner = used ?? createRunner(sim, setup, machines, actor, memory);
    const kill = (): void => onKill(runner.process);
    Object.assign(runner.process, untouched(), { kill, startedMs: sim.scheduler.now() });
    alive.add(runner.process);
    return runner;
  };
  const over = (process: Process): void => {
    process.alive = false;
    alive.delete(process);
  };
  const rest: Runners['rest'] = (runner, rested) => {
    alive.delete(runner.process);
    // A request that a fault holds back is still this run's when it arrives.
    if (runner.process.struck === 0) rested.push(runner);
  };
  const done: Runners['done'] = ({ process }) => void alive.delete(process);
  const alone: Runners['alone'] = (actor, work, then) => {
    let open = true;
    const close = (how: unknown): void => {
      if (!open) return;
      open = false;
      then(how);
    };
    const runner = spawn(actor, undefined, idle, (process) => {
      over(process);
      close('killed');
    });
    const { process, world } = runner;
    work(world, process).then(
      (how) => {
        if (open) rest(runner, idle);
        close(how);
      },
      (error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'RetryableError')
          sim.referee.fail('unexpected error', '', `${actor}: ${String(error)}`);
        over(process);
        close('failed');
      },
    );
  };
  return { spawn, over, rest, done, alone, alive: () => alive.size };
}
