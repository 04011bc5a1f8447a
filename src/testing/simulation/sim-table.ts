import type { IndexKey, Item, Key, Table } from '../../ports.ts';
import type { Kind } from './faults.ts';
import { type Process, perform, type Sim } from './sim.ts';

const records = [
  ...(['head', 'batch', 'input', 'item', 'call', 'ask', 'row', 'chunk', 'agent', 'letter'] as const),
  ...(['tenant', 'total', 'switch', 'note', 'key'] as const),
] as const;
type RecordName = (typeof records)[number];

/** What kind of record a key names. */
function recordOf(sk: string): RecordName {
  if (sk === 'JOB') return 'head';
  if (sk === 'BATCH') return 'batch';
  if (sk === 'ALL') return 'switch';
  switch (sk.charCodeAt(0)) {
    case 77: // MSG#
      return sk.startsWith('MSG#000001') ? 'input' : 'item';
    case 67: // CALL#, CHUNK#
      return sk.charCodeAt(1) === 65 ? 'call' : 'chunk';
    case 65: // ASK#
      return 'ask';
    case 66: // BATCH#
    case 68: // DAY#
      return 'total';
    case 75: // KEY
      return 'key';
    case 78: // NOTE#
      return 'note';
    case 84: // TENANT
      return 'tenant';
    case 82: // ROW#
      return 'row';
    case 86: // V#
      return 'agent';
    default:
      return 'letter';
  }
}

/** The names of seams, made once: `read head`. */
function namesFor(verb: string): Readonly<Record<RecordName, string>> {
  return Object.fromEntries(records.map((name) => [name, `${verb} ${name}`])) as Record<RecordName, string>;
}
const reads = namesFor('read');
const readsMany = namesFor('read all of');
const puts = namesFor('put');
const putsMany = namesFor('put all of');
const closes = namesFor('close');

/** What the commits of a step are called; all ends of a step but a reply count as one seam. */
const commits: Readonly<Record<string, string>> = {
  claimed: 'put head claimed',
  reserved: 'put head reserved',
  replied: 'put head replied',
};

function putName(process: Process, item: Item & Key): string {
  const record = recordOf(item.sk);
  if (record !== 'head' || process.actor !== 'worker') return puts[record];
  const by = String(item['by'] ?? '');
  return commits[by.slice(by.lastIndexOf('.') + 1)] ?? 'put head ended or waiting';
}

/** The table as one process sees it. */
export function tableOf(sim: Sim, process: Process): Table {
  const { table, referee } = sim;
  const operate = <T>(what: string, kind: Kind, effect: (stale: boolean) => T): Promise<T> => {
    process.operations += 1;
    return perform(sim, process, what, kind, (fault) => effect(fault === 'stale'));
  };
  const put = (item: Item & Key, condition: Parameters<Table['put']>[1]): 'put' | 'refused' => {
    const before = table.read(item);
    if (!table.put(item, condition)) return 'refused';
    noteLag(sim, item, before);
    referee.written(process, item, before, table.read(item) ?? item);
    return 'put';
  };
  return {
    get: (key) => operate(reads[recordOf(key.sk)], 'read', () => table.read(key)),
    getMany: (keys) =>
      operate(readsMany[recordOf(keys[0]?.sk ?? '')], 'read', () =>
        keys.map(table.read).filter((item) => item !== undefined),
      ),
    put: (item, condition) => operate(putName(process, item), 'write', () => put(item, condition)),
    putMany: async (items) => {
      const [first] = items;
      if (first === undefined) return;
      await operate(putsMany[recordOf(first.sk)], 'write', () => {
        for (const item of items) put(item, undefined);
      });
    },
    update: (key, values, condition) =>
      operate(closes[recordOf(key.sk)], 'write', () => {
        const before = table.read(key);
        if (!table.update(key, values, condition)) return 'refused';
        referee.written(process, key, before, table.read(key) ?? {});
        return 'put';
      }),
    query: (pk, from, to, consistent) =>
      operate(consistent ? 'read item' : 'read transcript', consistent ? 'read' : 'lagging read', (stale) => {
        const items = table.query(pk, from, to);
        return stale ? items.slice(0, -1) : items;
      }),
    removeMany: (keys) =>
      operate('remove', 'write', () => {
        for (const key of keys) {
          const before = table.read(key);
          table.remove(key);
          if (before !== undefined) referee.removed(process, key);
        }
      }),
    listIndex: (index, partition, range) =>
      operate(`list ${index}`, 'lagging read', (stale) => {
        const keys = table.listIndex(index, partition, range);
        return stale && index === 'due'
          ? lagged(sim, partition, range.to ?? Number.MAX_SAFE_INTEGER, keys)
          : keys;
      }),
  };
}

function noteLag(sim: Sim, key: Key, before: Item | undefined): void {
  if (before?.['ds'] === undefined) return;
  sim.lagging.set(`${key.pk} ${key.sk}`, before as Item & Key);
}

/** What an index that lags one write behind shows. */
function lagged(sim: Sim, shard: string, untilMs: number, due: readonly IndexKey[]): readonly IndexKey[] {
  const fresh = due.filter(({ pk, sk }) => !sim.lagging.has(`${pk} ${sk}`));
  const old = [...sim.lagging.values()].filter(
    (item) => item['ds'] === shard && Number(item['du']) <= untilMs,
  );
  return [...fresh, ...old.map(({ pk, sk, du }) => ({ pk, sk, at: Number(du) }))];
}
