import { RetryableError } from '../../src/core/errors.ts';
import type { Table } from '../../src/ports.ts';
import type { Random } from '../../src/testing/random.ts';

export interface Faults {
  /** How often each of the four faults strikes a write, and a death a read; 0 for none. */
  rate: number;
}

/** So many turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}

const never = (): Promise<never> => new Promise(() => undefined);
const unanswered = (): RetryableError => new RetryableError('timed_out', 'the write got no answer');

/**
 * A table between whose operations others get their turns, and whose single writes go wrong: the writer dies before or
 * after, the answer is lost, or the write lands long after it was given up. `landed` is told of everything that lands.
 */
export function faultyTable(table: Table, random: Random, faults: Faults, landed: () => void): Table {
  const write = async <T>(perform: () => Promise<T>): Promise<T> => {
    const land = async (): Promise<T> => {
      const answer = await perform();
      landed();
      return answer;
    };
    await turns(random.whole(0, 3));
    if (random.chance(faults.rate)) return never();
    if (random.chance(faults.rate)) {
      void turns(random.whole(1, 60)).then(land);
      throw unanswered();
    }
    const answer = await land();
    if (random.chance(faults.rate)) return never();
    if (random.chance(faults.rate)) throw unanswered();
    // Some sleep for long before they look at the answer.
    await turns(random.chance(faults.rate) ? random.whole(20, 200) : random.whole(0, 2));
    return answer;
  };
  const read = async <T>(perform: () => Promise<T>): Promise<T> => {
    await turns(random.whole(0, 2));
    if (random.chance(faults.rate / 4)) return never();
    const answer = await perform();
    await turns(random.chance(faults.rate) ? random.whole(20, 200) : random.whole(0, 2));
    return answer;
  };
  return {
    ...table,
    get: (key) => read(() => table.get(key)),
    getMany: (keys) => read(() => table.getMany(keys)),
    put: (item, condition) => write(() => table.put(item, condition)),
    update: (key, values, condition) => write(() => table.update(key, values, condition)),
  };
}
