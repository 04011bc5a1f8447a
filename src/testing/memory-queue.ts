import { TerminalError } from '../core/errors.ts';
import type { Clock, QueueMessage, StepQueue } from '../ports.ts';

/** A message in the memory queue. */
export interface QueuedMessage {
  readonly id: string;
  readonly body: string;
  readonly group: string;
  readonly sentMs: number;
  readonly visibleMs: number;
  readonly receives: number;
}

export interface MemoryQueue extends StepQueue {
  /** Puts any body, as somebody else might. */
  readonly inject: (body: string) => string;
  /** The visible messages, hidden for `visibilityMs` from now on. */
  readonly receive: (max: number, visibilityMs: number) => readonly QueuedMessage[];
  /** One message, hidden for `visibilityMs` from now on; undefined when it is not there. */
  readonly take: (id: string, visibilityMs: number) => QueuedMessage | undefined;
  readonly remove: (id: string) => void;
  readonly messages: () => readonly QueuedMessage[];
  /** When the next message becomes visible; undefined when there is none. */
  readonly nextVisibleMs: () => number | undefined;
  readonly clear: () => void;
}

/** The step queue in memory: delays, visibility, receive counts. The receipt handle is the message's id. */
export function createMemoryQueue(clock: Pick<Clock, 'now'>): MemoryQueue {
  const queued = new Map<string, QueuedMessage>();
  let sent = 0;
  const put = (body: string, group: string, delaySeconds: number): string => {
    sent += 1;
    const id = `m${sent}`;
    const sentMs = clock.now();
    queued.set(id, { id, body, group, sentMs, visibleMs: sentMs + delaySeconds * 1000, receives: 0 });
    return id;
  };
  const hide = (id: string, ms: number): void => {
    const message = queued.get(id);
    if (message !== undefined) queued.set(id, { ...message, visibleMs: clock.now() + ms });
  };
  const take = (id: string, visibilityMs: number): QueuedMessage | undefined => {
    const message = queued.get(id);
    if (message === undefined) return undefined;
    const received = {
      ...message,
      receives: message.receives + 1,
      visibleMs: clock.now() + visibilityMs,
    };
    queued.set(id, received);
    return received;
  };
  const sendBody: StepQueue['sendBody'] = async (body, { delaySeconds, group }) => {
    if (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > 900) {
      throw new TerminalError(
        'invalid_queue_request',
        `a delay of ${delaySeconds} s: 0 to 900 whole seconds are allowed`,
      );
    }
    put(body, group, delaySeconds);
  };
  return {
    take,
    inject: (body) => put(body, 'outside', 0),
    send: (message: QueueMessage, options) => sendBody(JSON.stringify(message), options),
    sendBody,
    hide: async (receiptHandle, seconds) => hide(receiptHandle, seconds * 1000),
    receive: (max, visibilityMs) => {
      const visible = [...queued.values()]
        .filter((message) => message.visibleMs <= clock.now())
        .slice(0, max);
      return visible.flatMap(({ id }) => take(id, visibilityMs) ?? []);
    },
    remove: (id) => queued.delete(id),
    messages: () => [...queued.values()],
    nextVisibleMs: () => {
      const times = [...queued.values()].map((message) => message.visibleMs);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    clear: () => queued.clear(),
  };
}
