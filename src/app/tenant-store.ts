import { emptyTenant, type Tenant } from '../core/tenant.ts';
import {
  type Control,
  fromControlRecord,
  fromTenantRecord,
  toControlRecord,
  toTenantRecord,
} from '../core/tenant-format.ts';
import { fromTotalRecord, type Total, type TotalKey, toTotalRecord } from '../core/totals.ts';
import type { Item, Key, Table } from '../ports.ts';

/** A tenant's total, with what it is of. */
export interface StoredTotal {
  readonly key: TotalKey;
  readonly total: Total;
}

/** The records of tenants. Reads are consistent; what is absent has version 0. */
export interface TenantStore {
  readonly loadTenant: (tenant: string) => Promise<Tenant>;
  /** Puts the record if the stored version is `tenant.version - 1`. */
  readonly commitTenant: (tenant: Tenant) => Promise<'committed' | 'refused'>;
  /** The kill switch for everything. */
  readonly loadControl: () => Promise<Control>;
  readonly commitControl: (control: Control) => Promise<'committed' | 'refused'>;
  /** Whether the tenant or everything is stopped, in one read. */
  readonly readStopped: (tenant: string) => Promise<boolean>;
  readonly readTotal: (tenant: string, key: TotalKey) => Promise<Total | undefined>;
  /** Puts a total if the stored one is of page `over`, or absent where that is 0. */
  readonly putTotal: (
    tenant: string,
    key: TotalKey,
    total: Total,
    over: number,
  ) => Promise<'put' | 'refused'>;
  /** Every total of a day and an agent, oldest day first. */
  readonly listDayTotals: (tenant: string) => Promise<readonly StoredTotal[]>;
  /** The totals of these batches; those of which nothing is counted are left out. */
  readonly readBatchTotals: (
    tenant: string,
    batchIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Total>>;
}

const tenantKey = (tenant: string): Key => ({ pk: `TENANT#${tenant}`, sk: 'TENANT' });
const controlKey: Key = { pk: 'CONTROL', sk: 'ALL' };
const nothingStopped: Control = { id: 'everything', version: 0, apiBy: '', stopped: false };

const DAYS = 'DAY#';
const BATCHES = 'BATCH#';

function totalKey(tenant: string, key: TotalKey): Key {
  const pk = `COST#${tenant}`;
  switch (key.type) {
    case 'day':
      return { pk, sk: `${DAYS}${key.day}#${key.agent}` };
    case 'batch':
      return { pk, sk: `${BATCHES}${key.batchId}` };
    default:
      return key satisfies never;
  }
}

function dayKeyOf(sk: string): TotalKey {
  const [, day = '', ...agent] = sk.split('#');
  return { type: 'day', day, agent: agent.join('#') };
}

/** The condition that a record still has the version before. */
function over(version: number): Parameters<Table['put']>[1] {
  return version === 1 ? { type: 'absent' } : { type: 'equals', values: { version: version - 1 } };
}

export function tenants(table: Table): TenantStore {
  const commit = async (item: Item & Key, version: number): Promise<'committed' | 'refused'> =>
    (await table.put(item, over(version))) === 'put' ? 'committed' : 'refused';
  return {
    loadTenant: async (tenant) => {
      const stored = await table.get(tenantKey(tenant));
      return stored === undefined ? emptyTenant(tenant) : fromTenantRecord(tenant, stored);
    },
    commitTenant: (tenant) => commit({ ...tenantKey(tenant.id), ...toTenantRecord(tenant) }, tenant.version),
    loadControl: async () => {
      const stored = await table.get(controlKey);
      return stored === undefined ? nothingStopped : fromControlRecord(stored);
    },
    commitControl: (control) => commit({ ...controlKey, ...toControlRecord(control) }, control.version),
    readStopped: async (tenant) => {
      const stored = await table.getMany([controlKey, tenantKey(tenant)]);
      return stored.some((item) => item['stopped'] === true);
    },
    ...totals(table),
  };
}

function totals(
  table: Table,
): Pick<TenantStore, 'readTotal' | 'putTotal' | 'listDayTotals' | 'readBatchTotals'> {
  return {
    readTotal: async (tenant, key) => {
      const stored = await table.get(totalKey(tenant, key));
      return stored && fromTotalRecord(stored, `a total of ${tenant}`);
    },
    putTotal: (tenant, key, total, page) =>
      table.put(
        { ...totalKey(tenant, key), ...toTotalRecord(total) },
        page === 0 ? { type: 'absent' } : { type: 'equals', values: { page } },
      ),
    listDayTotals: async (tenant) => {
      const stored = await table.query(`COST#${tenant}`, DAYS, `${DAYS}~`, true);
      return stored.map((item) => ({
        key: dayKeyOf(String(item['sk'])),
        total: fromTotalRecord(item, `a total of ${tenant}`),
      }));
    },
    readBatchTotals: async (tenant, batchIds) => {
      if (batchIds.length === 0) return new Map();
      const keys = batchIds.map((batchId) => totalKey(tenant, { type: 'batch', batchId }));
      const stored = await table.getMany(keys);
      return new Map(
        stored.map((item) => [
          String(item['sk']).slice(BATCHES.length),
          fromTotalRecord(item, `a total of ${tenant}`),
        ]),
      );
    },
  };
}
