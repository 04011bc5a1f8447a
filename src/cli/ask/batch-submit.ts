import type { Batch, Client, RowsTaken } from '../../client.ts';
import { TerminalError } from '../../core/errors.ts';
import { printedJson } from '../../core/printed.ts';
import type { ColumnMap } from '../../tickets/columns.ts';
import { codeOf } from '../exit-codes.ts';
import { hint } from '../hint.ts';
import type { Asking } from './asking.ts';
import { batchText } from './batch-picture.ts';
import { deployedAgent } from './deployed-agent.ts';
import { sayIfStopped } from './kill-switch.ts';
import { type Part, partsOf, type Rejected } from './row-parts.ts';
import { visible } from './shown.ts';
import { type LimitOptions, limitsOf } from './submit.ts';
import { givenRows } from './submit-rows.ts';

export interface BatchSubmitOptions extends LimitOptions {
  readonly agent: string;
  readonly budgetUsd?: number;
  readonly key?: string;
  readonly webhook?: string;
  readonly map?: ColumnMap;
}

/** Sends the rows of files as one batch, in as many calls as they need. Returns 3 where rows were rejected. */
export async function submitBatch(
  asking: Asking,
  files: readonly string[],
  options: BatchSubmitOptions,
): Promise<number> {
  const { client, terminal, json, endpoint } = asking;
  // Before a large file is read: the API would say the same, later.
  await deployedAgent(client, options.agent);
  const rejected: Rejected[] = [];
  const batch = await send(asking, partsOf(givenRows(files, options.map), rejected), options, rejected);
  if (batch === undefined) {
    tellRejected(asking, rejected);
    throw new TerminalError('nothing_to_read', `${files.join(', ')}: it has no row for a batch`);
  }
  if (json) terminal.out(`${printedJson({ ...batch, rejectedRows: rejected })}\n`);
  else {
    terminal.out(batchText(batch, terminal));
    terminal.err(
      `${hint(`watch ${batch.id}`, endpoint)} shows how it goes on, ${hint(`batch results ${batch.id}`, endpoint)} what came of it.\n`,
    );
    await sayIfStopped(asking);
  }
  tellRejected(asking, rejected);
  const jobs = { failed: 0, cancelled: 0, stopped: 0, notStarted: 0 };
  return codeOf({ rejected: rejected.length, stopReasons: {}, jobs });
}

/** One part more is read before one is sent, because only the last one closes the batch. Undefined without any part. */
async function send(
  asking: Asking,
  parts: AsyncGenerator<Part>,
  options: BatchSubmitOptions,
  rejected: Rejected[],
): Promise<Batch | undefined> {
  const { client, terminal, endpoint } = asking;
  const first = await parts.next();
  if (first.done === true) return undefined;
  let next = await parts.next();
  const open = next.done !== true;
  const taken = await create(client, first.value, open, options);
  rejected.push(...taken.rejectedRows);
  const { rejectedRows: _, ...batch } = taken;
  if (!open) return batch;
  try {
    while (next.done !== true) {
      rejected.push(...(await add(client, batch.id, next.value)).rejectedRows);
      next = await parts.next();
    }
    return await client.closeBatch(batch.id);
  } catch (error) {
    const again = options.key === undefined ? '' : 'the same command with the same --key carries on, and ';
    terminal.err(
      `${batch.id} is open with the rows sent so far: ${again}${hint(`batch cancel ${batch.id}`, endpoint)} gives it up.\n`,
    );
    throw error;
  }
}

function create(client: Client, part: Part, open: boolean, options: BatchSubmitOptions): Promise<RowsTaken> {
  const { agent, budgetUsd, key, webhook } = options;
  const keyed = key === undefined ? {} : { idempotencyKey: key };
  const fields = {
    ...{ agent, open },
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    ...(webhook === undefined ? {} : { webhook }),
  };
  const limits = limitsOf(options);
  if (part.type === 'lines') {
    return client.submitFile(fileOf(part.text), { ...fields, ...limits }, keyed);
  }
  const wanted = { ...fields, rows: part.rows, ...(limits === undefined ? {} : { limits }) };
  return client.submitBatch(wanted, keyed);
}

const fileOf = (body: string) => ({ type: 'application/x-ndjson', body }) as const;

const add = (client: Client, id: string, part: Part): Promise<RowsTaken> =>
  part.type === 'rows' ? client.addRows(id, part.rows) : client.addFile(id, fileOf(part.text));

const MOST_TOLD = 20;

function tellRejected({ terminal }: Asking, rejected: readonly Rejected[]): void {
  if (rejected.length === 0) return;
  for (const { id, reason } of rejected.slice(0, MOST_TOLD)) {
    terminal.err(`rejected  ${id === null ? '' : `${visible(id)}: `}${visible(reason)}\n`);
  }
  const more = rejected.length - MOST_TOLD;
  if (more > 0) terminal.err(`rejected  and ${more} more\n`);
}
