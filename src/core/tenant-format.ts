import * as z from 'zod';
import { lift } from './head-format.ts';
import type { PageEntry, Tenant } from './tenant.ts';

/** The version of the tenant's record that this code writes. */
export const TENANT_VERSION = 1;

const whole = z.number().int();
const natural = whole.nonnegative();

/** A job of a page: what is counted of it, where it belongs, and what is added; as lists, because a page has a hundred. */
const entry = z.tuple([
  z.string(),
  natural,
  z.tuple([natural, natural, natural, natural, natural]),
  z.tuple([natural, z.string(), z.string()]),
  z.tuple([natural, whole, whole, whole]),
]);

const tenantV1 = z.object({
  v: z.literal(1),
  version: natural,
  apiBy: z.string(),
  stopped: z.boolean(),
  day: natural,
  taken: natural,
  takes: z.array(z.tuple([z.string(), natural])),
  page: natural,
  entries: z.array(entry),
});

/** Each lift raises a tenant's record by one version. Never edit a published lift; add the next one. */
const lifts: Readonly<Record<number, (record: unknown) => unknown>> = {};

export function toTenantRecord(tenant: Tenant): z.input<typeof tenantV1> {
  const { version, apiBy, stopped, day, taken, page } = tenant;
  return {
    v: TENANT_VERSION,
    ...{ version, apiBy, stopped, day, taken, page },
    takes: tenant.takes.map(([key, amount]) => [key, amount]),
    entries: tenant.entries.map(toEntry),
  };
}

export function fromTenantRecord(id: string, stored: unknown): Tenant {
  const record = tenantV1.parse(lift(stored, `tenant ${id}`, TENANT_VERSION, lifts));
  const { version, apiBy, stopped, day, taken, takes, page } = record;
  return { id, version, apiBy, stopped, day, taken, takes, page, entries: record.entries.map(fromEntry) };
}

function toEntry({ added, ...of }: PageEntry): z.input<typeof entry> {
  return [
    of.jobId,
    of.version,
    [of.steps, of.settled, of.unsettled, of.returned, of.poolDay],
    [of.day, of.agent, of.batchId],
    [added.jobs, added.steps, added.settled, added.unsettled],
  ];
}

function fromEntry([jobId, version, counts, place, differences]: z.output<typeof entry>): PageEntry {
  const [steps, settled, unsettled, returned, poolDay] = counts;
  const [day, agent, batchId] = place;
  const [jobs, moreSteps, moreSettled, moreUnsettled] = differences;
  return {
    ...{ jobId, version, steps, settled, unsettled, returned, poolDay, day, agent, batchId },
    added: { jobs, steps: moreSteps, settled: moreSettled, unsettled: moreUnsettled },
  };
}

const controlV1 = z.object({
  v: z.literal(1),
  version: natural,
  apiBy: z.string(),
  stopped: z.boolean(),
});

/** The kill switch for everything. Without a record it has version 0. */
export interface Control {
  readonly id: string;
  readonly version: number;
  readonly apiBy: string;
  readonly stopped: boolean;
}

export function toControlRecord({ version, apiBy, stopped }: Control): z.input<typeof controlV1> {
  return { v: 1, version, apiBy, stopped };
}

export function fromControlRecord(stored: unknown): Control {
  const { version, apiBy, stopped } = controlV1.parse(lift(stored, 'the kill switch', 1, {}));
  return { id: 'everything', version, apiBy, stopped };
}
