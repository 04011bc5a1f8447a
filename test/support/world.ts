import { createHash } from 'node:crypto';
import { createStore } from '../../src/app/table-store.ts';
import { createWarmTranscripts } from '../../src/app/transcript.ts';
import { tellsNobody, type World } from '../../src/app/world.ts';
import type { Agent } from '../../src/core/agent.ts';
import { builtInPrices } from '../../src/core/prices.ts';
import type { Ids, Model, Notifier, Table, Telemetry } from '../../src/ports.ts';
import { createMemoryQueue, type MemoryQueue } from '../../src/testing/memory-queue.ts';
import { createMemoryTable } from '../../src/testing/memory-table.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface TestWorld extends World {
  readonly queue: MemoryQueue;
  readonly clock: ReturnType<typeof createVirtualClock>;
  readonly table: ReturnType<typeof createMemoryTable>;
  readonly lines: LogLine[];
  /** The same table and queue seen by a process that has just started. */
  readonly restarted: () => TestWorld;
}

/** Ids that count up: the same in every run. */
export function countingIds(): Ids {
  let drawn = 0;
  return {
    token: () => {
      drawn += 1;
      return `t${String(drawn).padStart(15, '0')}`;
    },
    hash: (text) => createHash('sha256').update(text).digest('base64url').slice(0, 22),
    random: () => 0.5,
  };
}

/** A world in memory with a settable clock. `wrap` may put faults around the table. */
export function memoryWorld(options: {
  readonly agents: readonly Agent[];
  readonly model: Model;
  readonly wrap?: (table: Table) => Table;
  /** @default nobody */
  readonly notifier?: Notifier;
  /** @default no pool */
  readonly dailyMicroUsd?: number;
  /** @default nobody is told, and no lines of steps */
  readonly telemetry?: Telemetry;
  readonly logSteps?: boolean;
}): TestWorld {
  const clock = createVirtualClock();
  const table = createMemoryTable();
  const queue = createMemoryQueue(clock);
  const ids = countingIds();
  const lines: LogLine[] = [];
  const build = (): TestWorld => ({
    store: createStore(options.wrap?.(table) ?? table, { now: clock.now }),
    retentionMs: 90 * 86_400_000,
    table,
    queue,
    clock,
    ids,
    model: options.model,
    notifier: options.notifier ?? tellsNobody,
    agents: new Map(options.agents.map((agent) => [agent.name, agent])),
    prices: builtInPrices,
    warm: createWarmTranscripts(),
    frozen: new Map(),
    chunks: new Map(),
    stops: new Map(),
    dailyMicroUsd: options.dailyMicroUsd,
    admitting: new Map(),
    logSteps: options.logSteps === true,
    ...(options.telemetry === undefined ? {} : { telemetry: options.telemetry }),
    lines,
    log: (level, message, fields) => lines.push({ level, message, fields }),
    restarted: build,
  });
  return build();
}
