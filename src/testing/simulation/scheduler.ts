/** Something that will happen at a virtual time. */
export interface Planned {
  readonly atMs: number;
  /** Orders what happens in the same millisecond. */
  readonly tie: number;
  readonly action: () => void;
  cancelled: boolean;
}

/** One thread of events in virtual time: the only source of concurrency in a simulated world. */
export interface Scheduler {
  readonly now: () => number;
  readonly after: (ms: number, action: () => void) => Planned;
  /** Runs events in order until `isOver`, or until there are none. Rejects with whatever an event throws. */
  readonly run: (isOver: () => boolean) => Promise<void>;
  readonly happened: () => number;
}

function before(a: Planned, b: Planned): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.tie < b.tie);
}

/** A binary heap: the earliest is first. */
function push(heap: Planned[], planned: Planned): void {
  let at = heap.length;
  heap.push(planned);
  while (at > 0) {
    const up = (at - 1) >> 1;
    const parent = heap[up];
    if (parent === undefined || !before(planned, parent)) break;
    heap[at] = parent;
    at = up;
  }
  heap[at] = planned;
}

function pop(heap: Planned[]): Planned | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const a = heap[left];
    if (a === undefined) break;
    const b = heap[left + 1];
    const down = b !== undefined && before(b, a) ? left + 1 : left;
    const child = down === left ? a : b;
    if (child === undefined || !before(child, last)) break;
    heap[at] = child;
    at = down;
  }
  heap[at] = last;
  return first;
}

/** `tie` draws the order of events in the same millisecond. */
export function createScheduler(startMs: number, tie: () => number): Scheduler {
  const heap: Planned[] = [];
  const settled = Promise.resolve();
  let nowMs = startMs;
  let happened = 0;
  return {
    now: () => nowMs,
    happened: () => happened,
    after: (ms, action) => {
      const planned: Planned = { atMs: nowMs + Math.max(0, ms), tie: tie(), action, cancelled: false };
      push(heap, planned);
      return planned;
    },
    run: (isOver) =>
      new Promise((resolve, reject) => {
        const turn = (): void => {
          let next = isOver() ? undefined : pop(heap);
          while (next?.cancelled === true) next = pop(heap);
          if (next === undefined) {
            resolve();
            return;
          }
          nowMs = next.atMs;
          happened += 1;
          try {
            next.action();
          } catch (error) {
            reject(error);
            return;
          }
          // A tick that is asked for in a microtask comes after all microtasks: everything that follows from this
          // event without waiting has then happened.
          void settled.then(tick);
        };
        const tick = (): void => process.nextTick(turn);
        process.nextTick(turn);
      }),
  };
}
