import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { TerminalError } from '../core/errors.ts';
import { type EventSourceFaults, openInbox, withFaults } from './inbox.ts';
import { createLimiter, createSlots } from './invocations.ts';
import { MAX_RECORDS } from './places.ts';
import { failedIds, lambdaContext, sqsEvent } from './sqs-event.ts';

export interface EventSourceSettings {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  /** A Lambda handler as it is deployed. */
  readonly handler: (event: SQSEvent, context: Context) => unknown;
  /** @default 'worker' */
  readonly functionName?: string;
  /** Records of one invocation at most, 1 to 10. @default 10 */
  readonly batchSize?: number;
  /** Invocations at once, 1 to 1000. */
  readonly maxConcurrency: number;
  /** After so long an invocation counts as failed; not longer than the visibility timeout. */
  readonly functionTimeoutMs: number;
  /** For so long a received message stays hidden, whatever the queue itself says. */
  readonly visibilityTimeoutSeconds: number;
  /** Long polls at once. @default 2, or `maxConcurrency` where that is lower */
  readonly pollers?: number;
  /** Of one long poll, 1 to 20; `stop` waits for it. @default 1 */
  readonly waitTimeSeconds?: number;
  /** Told of every invocation that threw or timed out, and of every failed call to the queue. Must not throw. */
  readonly onInvocationError?: (error: unknown) => void;
  /** @default none */
  readonly faults?: EventSourceFaults;
}

export interface EventSourceStats {
  readonly received: number;
  readonly deleted: number;
  readonly invocations: number;
  /** Invocations that threw or timed out. */
  readonly failed: number;
  readonly running: number;
}

export interface EventSource {
  /**
   * Stops receiving, lets open polls end, and waits for what runs, at most `graceMs` (the function timeout when it is
   * left out). What runs longer is given up: its messages come back, and nothing it does later deletes them.
   */
  readonly stop: (graceMs?: number) => Promise<void>;
  readonly stats: () => EventSourceStats;
}

const limitsShape = z
  .object({
    batchSize: z.number().int().min(1).max(MAX_RECORDS),
    maxConcurrency: z.number().int().min(1).max(1000),
    pollers: z.number().int().min(1).max(100),
    waitTimeSeconds: z.number().int().min(1).max(20),
    visibilityTimeoutSeconds: z.number().int().min(1).max(43_200),
    functionTimeoutMs: z.number().int().min(1),
  })
  .refine(
    ({ functionTimeoutMs, visibilityTimeoutSeconds }) => functionTimeoutMs <= visibilityTimeoutSeconds * 1000,
    'functionTimeoutMs is longer than the visibility timeout',
  );

function limitsOf(settings: EventSourceSettings): z.infer<typeof limitsShape> {
  const { batchSize = MAX_RECORDS, waitTimeSeconds = 1 } = settings;
  const pollers = settings.pollers ?? Math.min(2, settings.maxConcurrency);
  const parsed = limitsShape.safeParse({ ...settings, batchSize, waitTimeSeconds, pollers });
  if (parsed.success) return parsed.data;
  throw new TerminalError('invalid_event_source', `the event source: ${z.prettifyError(parsed.error)}`);
}

/** Invocations of the handler, by Lambda's contract: what it answers decides which messages are done. */
function createInvoker({ handler, queueArn, functionTimeoutMs, functionName }: EventSourceSettings) {
  const limiter = createLimiter();
  return {
    giveUp: limiter.giveUp,
    /** The messages that are done. Throws when the handler throws or takes too long. */
    invoke: async (messages: readonly Message[]): Promise<readonly Message[]> => {
      const context = lambdaContext(functionName ?? 'worker', functionTimeoutMs);
      const work = async () => handler(sqsEvent(messages, queueArn), context);
      const answer = await limiter.limit(work(), functionTimeoutMs);
      const ids = messages.map(({ MessageId }) => MessageId ?? '');
      const failed = failedIds(answer, ids);
      return messages.filter(({ MessageId }) => !failed.has(MessageId ?? ''));
    },
  };
}

const LONGEST_PAUSE_MS = 5_000;

function pause(failures: number, signal: AbortSignal): Promise<void> {
  return sleep(Math.min(LONGEST_PAUSE_MS, 100 * 2 ** failures), undefined, { signal }).catch(() => {});
}

/**
 * Feeds a function from a queue as Lambda's event source mapping does. A poll begins only when a place for its messages
 * is free, so that nothing is received that would then sit hidden; the next batch is fetched while others run.
 */
export function startEventSource(settings: EventSourceSettings): EventSource {
  const { client, queueUrl, faults, onInvocationError: report = () => {} } = settings;
  const limits = limitsOf(settings);
  const honest = openInbox({ client, queueUrl, ...limits });
  const inbox = faults === undefined ? honest : withFaults(honest, faults);
  const { invoke, giveUp } = createInvoker(settings);
  const slots = createSlots(limits.maxConcurrency);
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const counts = { received: 0, deleted: 0, invocations: 0, failed: 0 };

  const handle = async (messages: readonly Message[]): Promise<void> => {
    counts.received += messages.length;
    counts.invocations += 1;
    const done = await invoke(messages).catch((error: unknown) => {
      counts.failed += 1;
      report(error);
      return [];
    });
    if (faults !== undefined && faults.random() < (faults.lostAnswer ?? 0)) return;
    await inbox.remove(done);
    counts.deleted += done.length;
  };
  const start = (messages: readonly Message[]): void => {
    const work = stopping.signal.aborted ? inbox.giveBack(messages) : handle(messages);
    const run = work.catch(report).finally(() => {
      running.delete(run);
      slots.give();
    });
    running.add(run);
  };
  const poll = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      await slots.take();
      try {
        const messages = stopping.signal.aborted ? [] : await inbox.receive();
        failures = 0;
        if (messages.length > 0) start(messages);
        else slots.give();
      } catch (error) {
        slots.give();
        report(error);
        await pause(failures, stopping.signal);
        failures += 1;
      }
    }
  };
  const polls = Array.from({ length: limits.pollers }, poll);

  return {
    stop: async (graceMs = limits.functionTimeoutMs) => {
      stopping.abort();
      const grace = setTimeout(giveUp, graceMs);
      await Promise.all(polls);
      await Promise.all(running);
      clearTimeout(grace);
    },
    stats: () => ({ ...counts, running: running.size }),
  };
}

export type { EventSourceFaults } from './inbox.ts';
