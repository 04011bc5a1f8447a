import { expect } from 'vitest';
import * as z from 'zod';
import type { Handled } from '../../src/app/delivery.ts';
import { handleRecord } from '../../src/app/handle.ts';
import { defineTool } from '../../src/core/agent.ts';
import { fromHeadRecord } from '../../src/core/head-format.ts';
import type { Job } from '../../src/core/job.ts';
import type { QueuedMessage } from '../../src/testing/memory-queue.ts';
import { type FieldCase, type OpenCase, openCase, strictWorld } from '../field/run-case.ts';
import { deliveryOf, FUNCTION_MS } from './drive.ts';
import { createHeldTable, type HeldTable } from './held-table.ts';
import type { TestWorld } from './world.ts';

/** A head as it landed, and what the model had billed by then. */
interface Booked {
  readonly head: Job;
  readonly billed: number;
}

/** A job on a table whose writes the test can hold. */
export interface Stage extends OpenCase {
  readonly held: HeldTable;
  /** Every head of the job that has landed since it was created, in order. */
  readonly books: readonly Booked[];
  /** The idempotency keys of the payments that took effect, in order. */
  readonly paid: readonly string[];
}

/** `pay {amount}`: a `once` tool that nobody has to approve, and that writes down the key of each payment. */
export function payTool(paid: string[]) {
  return defineTool({
    name: 'pay',
    description: 'Pays once',
    input: z.object({ amount: z.number() }),
    run: (_, { idempotencyKey }) => {
      paid.push(idempotencyKey);
      return 'paid';
    },
  });
}

/** Opens a case with `pay {amount}` among its tools: a `once` tool that nobody has to approve. */
export async function openStage(given: Omit<FieldCase, 'wrap'>): Promise<Stage> {
  const held = createHeldTable();
  const paid: string[] = [];
  const agent = { ...given.agent, tools: [payTool(paid), ...(given.agent?.tools ?? [])] };
  const open = await openCase({ ...given, agent, wrap: held.wrap });
  const books: Booked[] = [];
  held.watch(({ item }) => {
    if (item.sk !== 'JOB') return;
    books.push({ head: fromHeadRecord(open.jobId, item), billed: open.strict.billedMicroUsd() });
  });
  return { ...open, held, paid, books };
}

/** The reference agents on such a table, without a job. */
export function batchStage(
  given: Omit<FieldCase, 'wrap'>,
): Pick<OpenCase, 'world' | 'effects' | 'strict'> & { readonly held: HeldTable } {
  const held = createHeldTable();
  return { ...strictWorld({ ...given, wrap: held.wrap }), held };
}

/** Handles a message as one invocation. Whatever the outcome, the message stays: a dead or late worker removes none. */
export function handle(world: TestWorld, message: QueuedMessage): Promise<Handled> {
  return handleRecord(world, message.body, deliveryOf(world, message));
}

/** Lets the lease of an invocation that begins now lapse. */
export async function lapse(world: TestWorld): Promise<void> {
  await world.clock.advance(FUNCTION_MS + 5_000);
}

/** Resolves once somebody sleeps on the clock. */
export async function asleep(world: TestWorld): Promise<void> {
  for (let turns = 0; turns < 1_000; turns += 1) {
    if (world.clock.nextWakeMs() !== undefined) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('nobody goes to sleep');
}

/** At every head that landed, and now: what the model has billed is accounted for, and all of it within the ceiling. */
export function expectMoney({ books, strict }: Stage): void {
  const now = books.slice(-1).map((last) => ({ ...last, billed: strict.billedMicroUsd() }));
  for (const { head, billed } of [...books, ...now]) {
    const { ceiling, settled, reserved, unsettled } = head.ledger;
    const accounted = settled + reserved + unsettled;
    expect(billed, `billed by version ${head.version}`).toBeLessThanOrEqual(accounted);
    expect(accounted, `accounted for by version ${head.version}`).toBeLessThanOrEqual(ceiling);
  }
}
