import { RetryableError } from '../../core/errors.ts';
import type { Item, Key, QueueMessage, SendOptions } from '../../ports.ts';
import type { MemoryQueue } from '../memory-queue.ts';
import type { TableState } from '../memory-table.ts';
import { placeOf, type Random } from '../random.ts';
import type { Fault, FaultPlan, Kind, Struck } from './faults.ts';
import type { Referee } from './referee.ts';
import type { Listeners } from './scenario.ts';
import type { Scheduler } from './scheduler.ts';

/** One run of the code under test in a process: a delivery, a sweep of the reconciler, a request from outside. */
export interface Process {
  /** `worker`, `batch`, `reconciler`, `submit`, `cancel`, `approve`, … */
  readonly actor: string;
  /** How far this process's clock is off, in milliseconds. */
  readonly skewMs: number;
  alive: boolean;
  /** Ends this process and everything that shares its memory. */
  kill: () => void;
  /** The fence of the claim that this process has made; 0 for none. */
  fence: number;
  /** Operations on the table so far. */
  operations: number;
  /** What a person decides with it: `call_1_0 A`; empty otherwise. */
  meant: string;
  /** What it asks for when it extends something; undefined once that has been granted. */
  adds: Adds | undefined;
  /** What a person wants of a job or batch that has been made; undefined for everybody else. */
  wish: Wish | undefined;
  /** That has been done: one request counts once. */
  granted: boolean;
  /** When it began, by the time of the world. */
  startedMs: number;
  /** What it knows of its request to the model. */
  request: 'none' | 'under way' | 'not billed';
  /** Before then, by its own clock, it must not be asked again; 0 for no such time. */
  retryAtMs: number;
  /** Faults that struck it. */
  struck: number;
}

/** What an extension adds. */
export interface Adds {
  readonly microUsd: number;
  readonly steps: number;
  readonly tokens: number;
  readonly seconds: number;
}

/** What a person wants of a job or a batch. */
export type Wish =
  | { readonly type: 'extend' }
  | { readonly type: 'retry'; readonly fromStep: number | undefined }
  | { readonly type: 'follow up'; readonly content: string; readonly key: string | undefined }
  | { readonly type: 'delete' }
  | { readonly type: 'extend batch'; readonly key: string | undefined };

/** What a process has not done yet. */
export function untouched(): Omit<Process, 'actor' | 'skewMs' | 'alive' | 'kill'> {
  return {
    fence: 0,
    operations: 0,
    meant: '',
    adds: undefined,
    wish: undefined,
    granted: false,
    startedMs: 0,
    request: 'none',
    retryAtMs: 0,
    struck: 0,
  };
}

/** Everything one simulated run is made of. */
export interface Sim {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly table: TableState;
  readonly queue: MemoryQueue;
  /** Puts a message into the queue, or hides one, and sees to it that somebody looks when it is visible. */
  readonly put: (message: QueueMessage, options: SendOptions) => void;
  readonly hide: (id: string, seconds: number) => void;
  readonly referee: Referee;
  readonly plan: FaultPlan;
  /** What the jobs of one tenant may cost on one day, in micro-dollars; undefined for no bound. */
  readonly dailyMicroUsd: number | undefined;
  readonly listeners: Listeners;
  /** Longest sleep of a process that falls asleep, in milliseconds: some pass every lease. */
  readonly longestSleepMs: number;
  /** Sets faults going or ends them. */
  faulty: boolean;
  /** How often each actor has passed each seam. */
  readonly counters: Map<string, Map<string, Counter>>;
  readonly struck: Struck[];
  /** The seams that were passed, in order, where somebody asked for them. */
  readonly passed: { readonly seam: string; readonly n: number; readonly kind: Kind }[] | undefined;
  /** The index entry that each head had before its last write: what a read that lags may still show. */
  readonly lagging: Map<string, Item & Key>;
}

interface Counter {
  readonly seam: string;
  readonly place: number;
  n: number;
}

/** What every person's request may pass on its way: one seam each, whatever it is about. */
const anybodys = new Set(
  ['tenant', 'note', 'switch', 'all of switch', 'all of chunk'].flatMap((record) => [
    `read ${record}`,
    `put ${record}`,
  ]),
).add('send notice');
const machines = new Set(['worker', 'batch', 'tell', 'reconciler', 'dead letter', 'switch']);
/** What a deletion removes, whoever does it. */
const purged = new Set(['remove', 'put row', 'put input', 'read input', 'put all of call']);

function actorAt(by: string, what: string): string {
  // Where the same code meets the same record, and one of the two comes there seldom.
  if (what === 'read all of chunk' && by === 'reconciler') return 'batch';
  if (what === 'close call' && by === 'reopen') return 'worker';
  if (by === 'batch' && (what === 'put note' || what === 'send notice')) return 'worker';
  if (by === 'batch' && (what === 'put tenant' || what === 'read tenant')) return 'people';
  if (anybodys.has(what)) return machines.has(by) ? by : 'people';
  return purged.has(what) && (by === 'delete' || by === 'reconciler') ? 'purge' : by;
}

function counterOf({ counters }: Sim, by: string, what: string): Counter {
  const actor = actorAt(by, what);
  let ofActor = counters.get(actor);
  if (ofActor === undefined) {
    ofActor = new Map();
    counters.set(actor, ofActor);
  }
  let counter = ofActor.get(what);
  if (counter === undefined) {
    const seam = `${actor}: ${what}`;
    counter = { seam, place: placeOf(seam), n: 0 };
    ofActor.set(what, counter);
  }
  return counter;
}

/** One for each call: a promise that lived on would keep everything that ever waited for it. */
const never = (): Promise<never> => new Promise(() => undefined);

/** Draws what goes wrong at a seam, and counts it. */
export function faultAt(sim: Sim, process: Process, what: string, kind: Kind): Fault | undefined {
  const counter = counterOf(sim, process.actor, what);
  counter.n += 1;
  if (!sim.faulty) return undefined;
  const { seam, place, n } = counter;
  sim.passed?.push({ seam, n, kind });
  const fault = sim.plan.at(seam, place, n, kind);
  if (fault !== undefined) {
    sim.struck.push({ seam, n, kind, fault });
    process.struck += 1;
  }
  return fault;
}

/** Milliseconds that an operation on the table or the queue takes. */
const MAX_LATENCY_MS = 20;

/**
 * One operation of a process on the world: the only way in which the code under test touches anything. `effect` happens
 * at once and whole, at a moment of its own; the fault says whether it happens, when, and what the process learns.
 */
export function perform<T>(
  sim: Sim,
  process: Process,
  what: string,
  kind: Kind,
  effect: (fault: Fault | undefined) => T | Promise<T>,
): Promise<T> {
  if (!process.alive) return never();
  const fault = faultAt(sim, process, what, kind);
  if (fault === 'crash before') {
    process.kill();
    return never();
  }
  return new Promise<T>((resolve, reject) => {
    const { scheduler, random } = sim;
    const refuse = (code: string): void => {
      if (process.alive) reject(new RetryableError(code, `${what}: ${code}`));
    };
    const sleeps = fault === 'asleep before' || fault === 'asleep after' || fault === 'slow';
    const sleepMs = sleeps ? random.whole(1, sim.longestSleepMs) : 0;
    const doneMs = random.whole(1, MAX_LATENCY_MS) + (fault === 'asleep before' ? sleepMs : 0);
    scheduler.after(doneMs, () => {
      // A request of a process that has died meanwhile was under way: it arrives, or it does not.
      if (!process.alive && random.chance(0.5)) return;
      switch (fault) {
        case 'throttled':
          refuse('throttled');
          return;
        case 'lands late':
          refuse('timeout');
          scheduler.after(random.whole(1, sim.longestSleepMs), () => effect(fault));
          return;
        case 'answer lost':
          effect(fault);
          refuse('timeout');
          return;
        case 'crash after':
          effect(fault);
          process.kill();
          return;
        default: {
          const value = effect(fault);
          if (fault === 'asleep after' || fault === 'slow')
            scheduler.after(sleepMs, () => process.alive && resolve(value));
          else if (process.alive) resolve(value);
        }
      }
    });
  });
}

/** A wait in virtual time of a process that may die meanwhile. */
export function pause(sim: Sim, process: Process, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const over = (): void => {
      planned.cancelled = true;
      resolve();
    };
    // Clocks tell whole milliseconds.
    const planned = sim.scheduler.after(Math.ceil(ms), () => {
      signal?.removeEventListener('abort', over);
      if (process.alive) resolve();
    });
    signal?.addEventListener('abort', over, { once: true });
  });
}
