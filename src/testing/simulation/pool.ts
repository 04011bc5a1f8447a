import { takeDeadLetter } from '../../app/dead-letter.ts';
import { handleRecord } from '../../app/handle.ts';
import type { QueuedMessage } from '../memory-queue.ts';
import type { Machines } from './machines.ts';
import { createMemory, type Memory } from './process-world.ts';
import type { Runner, Runners } from './runners.ts';
import type { Planned } from './scheduler.ts';
import { faultAt, type Process, perform, type Sim } from './sim.ts';

/** Deliveries of one message before the queue gives it up. */
const MAX_RECEIVES = 5;

interface Container {
  memory: Memory;
  readonly processes: Set<Process>;
  idle: Runner[];
  restarting: boolean;
}

interface Pool {
  readonly sim: Sim;
  readonly machines: Machines;
  readonly runners: Runners;
  readonly containers: readonly Container[];
  readonly visibilityMs: number;
  planned: Planned | undefined;
}

/** The workers: containers that take messages while they have a free slot, and are replaced when they die. */
export function createPool(sim: Sim, machines: Machines, runners: Runners): (afterMs: number) => void {
  const pool: Pool = {
    ...{ sim, machines, runners, planned: undefined },
    containers: Array.from({ length: machines.containers }, () => ({
      ...{
        memory: createMemory(sim.random, machines),
        processes: new Set<Process>(),
        idle: [],
        restarting: false,
      },
    })),
    visibilityMs: machines.functionMs + 30_000,
  };
  return (afterMs) => pump(pool, afterMs);
}

/** Looks for messages then, or earlier. */
function pump(pool: Pool, afterMs: number): void {
  const { scheduler } = pool.sim;
  if (pool.planned !== undefined && pool.planned.atMs <= scheduler.now() + afterMs) return;
  if (pool.planned !== undefined) pool.planned.cancelled = true;
  pool.planned = scheduler.after(afterMs, () => takeAll(pool));
}

function takeAll(pool: Pool): void {
  const { scheduler, queue } = pool.sim;
  pool.planned = undefined;
  while (take(pool));
  const next = queue.nextVisibleMs();
  // Visible messages that nobody is free for are looked at when somebody is.
  if (next !== undefined && next > scheduler.now()) pump(pool, next - scheduler.now());
}

function take(pool: Pool): boolean {
  const { queue, random, scheduler } = pool.sim;
  const free = pool.containers.filter(
    ({ processes, restarting }) => !restarting && processes.size < pool.machines.slots,
  );
  const visible = queue.messages().filter(({ visibleMs }) => visibleMs <= scheduler.now());
  if (free.length === 0 || visible.length === 0) return false;
  const message = queue.take(random.pick(visible).id, pool.visibilityMs);
  if (message === undefined) return false;
  if (message.receives > MAX_RECEIVES) giveUp(pool, message);
  else arrive(pool, random.pick(free), message);
  return true;
}

/** To the dead-letter queue, and from there to its consumer, as often as it takes. */
function giveUp({ sim, runners, visibilityMs }: Pool, { id, body }: QueuedMessage): void {
  sim.queue.remove(id);
  const keep = (): void =>
    runners.alone(
      'dead letter',
      async (world) => {
        await takeDeadLetter(world, id, body);
        return 'done';
      },
      (how) => {
        if (how !== 'done') sim.scheduler.after(sim.random.whole(1, visibilityMs), keep);
      },
    );
  keep();
}

/** What a worker is while it handles a message. */
function actorOf(body: string): 'worker' | 'batch' | 'tell' {
  if (body.includes('noteOf')) return 'tell';
  return body.includes('batchId') ? 'batch' : 'worker';
}

function arrive(pool: Pool, container: Container, message: QueuedMessage): void {
  const { sim, runners } = pool;
  const actor = actorOf(message.body);
  const runner = runners.spawn(actor, container.memory, container.idle, () => die(pool, container));
  container.processes.add(runner.process);
  const fault = faultAt(sim, runner.process, 'be delivered', 'delivery');
  if (fault === 'delayed') {
    sim.hide(message.id, sim.random.whole(1, 300));
    leave(pool, container, runner, true);
    return;
  }
  if (fault === 'twice')
    sim.scheduler.after(sim.random.whole(0, sim.longestSleepMs), () => again(pool, message));
  void handle(pool, container, runner, message);
}

/** The queue delivers a message that it has delivered, whether or not it was deleted since. */
function again(pool: Pool, message: QueuedMessage): void {
  const free = pool.containers.filter(({ restarting }) => !restarting);
  if (free.length > 0) arrive(pool, pool.sim.random.pick(free), message);
}

async function handle(
  pool: Pool,
  container: Container,
  runner: Runner,
  message: QueuedMessage,
): Promise<void> {
  const { sim, machines } = pool;
  const { world, process } = runner;
  const startedMs = world.clock.now();
  const end = machines.hardEnd ? sim.scheduler.after(machines.functionMs, process.kill) : undefined;
  const handled = await handleRecord(world, message.body, {
    ...{ id: message.id, receiptHandle: message.id, sentMs: message.sentMs, startedMs },
    deadlineMs: startedMs + machines.functionMs,
  });
  if (end !== undefined) end.cancelled = true;
  sim.referee.handled(process);
  const remove = (): unknown => sim.queue.remove(message.id);
  if (handled === 'done')
    await perform(sim, process, 'delete message', 'write', remove).catch(() => undefined);
  // A run that failed may have left something under way, which goes on in this process alone.
  leave(pool, container, runner, handled === 'done');
}

function leave(pool: Pool, container: Container, runner: Runner, healthy: boolean): void {
  if (healthy) pool.runners.rest(runner, container.idle);
  else pool.runners.done(runner);
  container.processes.delete(runner.process);
  pump(pool, pool.sim.random.whole(0, 10));
}

/** All of a container's deliveries die at once, with what they remember. */
function die(pool: Pool, container: Container): void {
  const { sim, runners } = pool;
  for (const process of container.processes) runners.over(process);
  container.processes.clear();
  container.memory = createMemory(sim.random, pool.machines);
  container.idle = [];
  container.restarting = true;
  sim.scheduler.after(sim.random.whole(10, 5_000), () => {
    container.restarting = false;
    pump(pool, 0);
  });
}
