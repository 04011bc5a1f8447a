import { agents } from '../../src/agents/index.ts';
import { createBatch, type NewRow } from '../../src/app/batches.ts';
import { openInput } from '../../src/cli/read-input.ts';
import { rowsOf } from '../../src/core/batch.ts';
import { createWorld } from '../../src/create-world.ts';
import { localAwsClients } from '../../src/local/stand-ins.ts';
import { ticketRow } from '../../src/ticket-rows.ts';

/*
 * Reads a ticket file and submits it as one batch, as `triage` does, to servers of another process: what this one needs
 * of memory is what reading and submitting need. It ends when the batch is there; no job is run.
 */
const [file = '', sqsEndpoint = '', dynamodbEndpoint = '', queueUrl = '', tableName = ''] =
  process.argv.slice(2);
const [agent] = agents;
if (agent === undefined) throw new Error('there is no agent');

const clients = localAwsClients({ sqsEndpoint, dynamodbEndpoint });
const model = { ask: () => Promise.reject(new Error('no job is run here')) };
const world = createWorld({ ...clients, tableName, queueUrl, model, agents: [agent] });
const input = await openInput([file], undefined);

async function* rows(): AsyncGenerator<NewRow> {
  if (agent === undefined) return;
  for await (const row of input.rows()) yield ticketRow(row, agent);
}

const readMb = process.resourceUsage().maxRSS / 1024;
const wanted = { tenant: 'default', agent: agent.name, key: input.digest, rows: rows() };
const batch = await createBatch(world, { ...wanted, budget: 1_000_000, concurrency: 10 });
process.stdout.write(
  `${JSON.stringify({ accepted: input.tally.accepted, duplicates: input.tally.duplicates, rejected: input.tally.rejected, rows: rowsOf(batch), readMb })}\n`,
);
await input.close();
clients.dynamodb.destroy();
clients.sqs.destroy();
