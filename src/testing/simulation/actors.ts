import { takeDeadLetter } from '../../app/dead-letter.ts';
import { handleRecord } from '../../app/handle.ts';
import { reconcile } from '../../app/reconcile.ts';
import type { World } from '../../app/world.ts';
import { dueShards } from '../../core/table.ts';
import type { QueuedMessage } from '../memory-queue.ts';
import { createMemory, type Memory, type Setup, worldOf } from './process-world.ts';
import { faultAt, type Process, perform, type Sim } from './sim.ts';

/** The machines of a run. */
export interface Machines {
  /** Worker processes, each with so many deliveries at once in one memory. */
  readonly containers: number;
  readonly slots: number;
  /** Time an invocation has, in milliseconds. */
  readonly functionMs: number;
  /** Invocations are killed at their end, as on Lambda; otherwise they may outlive their lease as zombies. */
  readonly hardEnd: boolean;
  /** Longest time by which a clock is off, either way, in milliseconds. */
  readonly maxSkewMs: number;
}

/** Deliveries of one message before the queue gives it up. */
const MAX_RECEIVES = 5;
const RECONCILE_MS = 60_000;
/** Even with nothing due the reconciler looks now and then. */
const IDLE_SWEEPS = 10;

interface Container {
  memory: Memory;
  readonly processes: Set<Process>;
  restarting: boolean;
}

export interface Actors {
  /** Looks for messages and free workers, at once or when a message becomes visible. */
  readonly pump: (afterMs: number) => void;
  readonly start: () => void;
  /** Runs `work` for somebody outside, again and again until it says that it is done. */
  readonly request: (wanted: Wanted) => void;
  /** Processes that are alive and requests that want an answer. */
  readonly busy: () => number;
}

/** Something that somebody outside wants done. */
export interface Wanted {
  readonly actor: string;
  readonly atMs: number;
  /** Tries before they give up; those that must be heard ask for ever. */
  readonly tries: number;
  readonly everyMs: number;
  readonly work: (world: World, process: Process) => Promise<'done' | 'again'>;
}

export function createActors(sim: Sim, setup: Setup, machines: Machines): Actors {
  const { scheduler, random } = sim;
  let requests = 0;
  const alive = new Set<Process>();
  const spawn = (actor: string, onKill: (process: Process) => void): Process => {
    const process: Process = {
      actor,
      skewMs: machines.maxSkewMs === 0 ? 0 : random.whole(-machines.maxSkewMs, machines.maxSkewMs),
      alive: true,
      kill: () => onKill(process),
      ...{ meant: '', fence: 0, operations: 0, struck: 0 },
    };
    alive.add(process);
    return process;
  };
  const over = (process: Process): void => {
    process.alive = false;
    alive.delete(process);
  };
  /** A process of its own, which dies alone. */
  const alone = (
    actor: string,
    work: (world: World, process: Process) => Promise<unknown>,
    then: (how: unknown) => void,
  ): void => {
    const process = spawn(actor, () => {
      if (!process.alive) return;
      over(process);
      then('killed');
    });
    const end = (how: unknown): void => {
      if (!process.alive) return;
      over(process);
      then(how);
    };
    work(worldOf(sim, process, setup, createMemory()), process).then(end, (error: unknown) => {
      if ((error as Error).name !== 'RetryableError')
        sim.referee.fail('unexpected error', '', `${actor}: ${String(error)}`);
      end('failed');
    });
  };
  const pool = createPool(sim, setup, machines, { spawn, over, alone });

  const sweep = (n: number): void => {
    const due = dueShards.some((shard) => sim.table.listDue(shard, scheduler.now(), 1).length > 0);
    if (due || n % IDLE_SWEEPS === 0) {
      for (let left = random.chance(0.1) ? 2 : 1; left > 0; left -= 1)
        alone('reconciler', reconcile, () => undefined);
    }
    scheduler.after(RECONCILE_MS, () => sweep(n + 1));
  };
  const request = (wanted: Wanted): void => {
    requests += 1;
    const tryOnce = (left: number): void =>
      alone(wanted.actor, wanted.work, (how) => {
        if (how === 'done' || left <= 1) requests -= 1;
        else scheduler.after(random.whole(1, wanted.everyMs), () => tryOnce(left - 1));
      });
    scheduler.after(wanted.atMs, () => tryOnce(wanted.tries));
  };
  return {
    pump: pool.pump,
    request,
    start: () => scheduler.after(random.whole(1, RECONCILE_MS), () => sweep(1)),
    busy: () => requests + alive.size,
  };
}

interface Spawning {
  readonly spawn: (actor: string, onKill: (process: Process) => void) => Process;
  readonly over: (process: Process) => void;
  readonly alone: (
    actor: string,
    work: (world: World) => Promise<unknown>,
    then: (how: unknown) => void,
  ) => void;
}

/** The workers: containers that take messages while they have a free slot, and are replaced when they die. */
function createPool(sim: Sim, setup: Setup, machines: Machines, spawning: Spawning): Pick<Actors, 'pump'> {
  const { scheduler, random, queue } = sim;
  const visibilityMs = machines.functionMs + 30_000;
  const containers: Container[] = Array.from({ length: machines.containers }, () => ({
    memory: createMemory(),
    processes: new Set(),
    restarting: false,
  }));
  const pump = (afterMs: number): void => {
    scheduler.after(afterMs, take);
  };
  const take = (): void => {
    const free = containers.filter(
      ({ processes, restarting }) => !restarting && processes.size < machines.slots,
    );
    const visible = queue.messages().filter(({ visibleMs }) => visibleMs <= scheduler.now());
    if (free.length === 0 || visible.length === 0) return;
    const message = queue.take(random.pick(visible).id, visibilityMs);
    if (message === undefined) return;
    pump(visibilityMs);
    if (message.receives > MAX_RECEIVES) giveUp(message);
    else arrive(random.pick(free), message);
    pump(0);
  };
  const giveUp = ({ id, body }: QueuedMessage): void => {
    queue.remove(id);
    const keep = (): void =>
      spawning.alone(
        'dead letter',
        (world) => takeDeadLetter(world, id, body),
        (how) => {
          if (how !== undefined) scheduler.after(random.whole(1, visibilityMs), keep);
        },
      );
    keep();
  };
  const arrive = (container: Container, message: QueuedMessage): void => {
    const process = spawning.spawn(message.body.includes('batchId') ? 'batch' : 'worker', () =>
      die(container),
    );
    container.processes.add(process);
    const fault = faultAt(sim, process, 'be delivered', 'delivery');
    if (fault === 'delayed') {
      sim.hide(message.id, random.whole(1, 300));
      leave(container, process);
      return;
    }
    if (fault === 'twice') scheduler.after(random.whole(0, sim.longestSleepMs), () => again(message));
    void handle(container, process, message);
  };
  /** The queue delivers a message that it has delivered, whether or not it was deleted since. */
  const again = (message: QueuedMessage): void => {
    const free = containers.filter(({ restarting }) => !restarting);
    if (free.length > 0) arrive(random.pick(free), message);
  };
  const handle = async (container: Container, process: Process, message: QueuedMessage): Promise<void> => {
    const world = worldOf(sim, process, setup, container.memory);
    const startedMs = world.clock.now();
    const end = machines.hardEnd ? scheduler.after(machines.functionMs, process.kill) : undefined;
    const handled = await handleRecord(world, message.body, {
      id: message.id,
      receiptHandle: message.id,
      sentMs: message.sentMs,
      startedMs,
      deadlineMs: startedMs + machines.functionMs,
    });
    if (end !== undefined) end.cancelled = true;
    sim.referee.handled(process);
    if (handled === 'done')
      await perform(sim, process, 'delete message', 'write', () => queue.remove(message.id)).catch(
        () => undefined,
      );
    leave(container, process);
  };
  const leave = (container: Container, process: Process): void => {
    spawning.over(process);
    container.processes.delete(process);
    pump(random.whole(0, 10));
  };
  const die = (container: Container): void => {
    for (const process of container.processes) spawning.over(process);
    container.processes.clear();
    container.memory = createMemory();
    container.restarting = true;
    scheduler.after(random.whole(10, 5_000), () => {
      container.restarting = false;
      pump(0);
    });
  };
  return { pump };
}
