import { type Job, newJob } from '../../src/core/job.ts';
import { emptyItem, type MessageItem } from '../../src/core/message-item.ts';
import type { ReplyReading } from '../../src/core/read-reply.ts';

export const NOW = 1_800_000_000_000;

/** A queued job with a ceiling of one dollar, changed as asked. */
export function aJob(changes: Partial<Job> = {}): Job {
  const job = newJob({
    id: 'job_1',
    tenant: 'default',
    agent: 'triage',
    limits: { maxSteps: 10, maxTokens: 100_000, maxConsecutiveFailures: 3, timeoutSeconds: 3600 },
    ceilingMicroUsd: 1_000_000,
    poolCut: false,
    promptBound: 2_000,
    transcriptHash: 'hash',
    nowMs: NOW,
  });
  return { ...job, ...changes };
}

/** A job in the hands of the attempt `owner`, with `reserved` micro-dollars held. */
export function aRunningJob(reserved = 100_000, changes: Partial<Job> = {}): Job {
  return aJob({
    status: { type: 'running', lease: { untilMs: NOW + 60_000, owner: 'owner', msg: 'm1' } },
    claimed: true,
    fence: 1,
    attempts: 1,
    ledger: { ceiling: 1_000_000, settled: 0, reserved, unsettled: 0 },
    ...changes,
  });
}

export function aReading(changes: Partial<ReplyReading> = {}): ReplyReading {
  return {
    kind: 'calls',
    kept: true,
    hasText: false,
    states: 'R',
    expiresInSeconds: 0,
    lowConfidence: false,
    ...changes,
  };
}

export function anItem(changes: Partial<MessageItem> = {}): MessageItem {
  return {
    ...emptyItem(1, NOW),
    kept: true,
    stop: 'tool_use',
    fence: 1,
    born: 1,
    nonce: 'owner',
    reserved: 100_000,
    cost: 1_000,
    usage: [100, 20, 0, 0],
    bound: [2_000, 4_096],
    ...changes,
  };
}
