export { callsTools, says, scriptedBrain } from './brains.ts';
export { createMemoryQueue, type MemoryQueue, type QueuedMessage } from './memory-queue.ts';
export { createMemoryTable } from './memory-table.ts';
export { type SimulationOptions, type SimulationResult, simulate } from './simulate.ts';
export type { Found } from './simulation/explore.ts';
export type { Invariant } from './simulation/head-rules.ts';
export type { Violation } from './simulation/referee.ts';
export type { Asked, Brain, Reply } from './simulation/sim-model.ts';
export { createVirtualClock } from './virtual-clock.ts';
