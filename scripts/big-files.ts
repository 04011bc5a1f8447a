import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { QUEUE_NAMES, TABLE_NAME } from '../src/local/stack.ts';
import { ensureQueues, ensureTable, localAwsClients, startStandIns } from '../src/local/stand-ins.ts';
import { runChild } from './big-files/child.ts';
import { type Expected, endings, generate, type Kind, kinds } from './big-files/generate.ts';

/*
 * Ticket files that are larger than memory should be: each is previewed and counted by a process of its own, and a
 * hundred rows for each megabyte of --size-mb are submitted as one batch to a table on disk. Exits 1 when a process
 * held more than --most-mb, or when a row was lost or counted twice.
 */
const command = new Command('big-files')
  .option('--size-mb <n>', 'megabytes of each file', Number, 1_000)
  .option('--kinds <names>', `which files: ${kinds.join(', ')}`, 'small,list')
  .option('--most-mb <n>', 'megabytes of memory that a process may hold', Number, 300);
const options = command.parse().opts<{ sizeMb: number; kinds: string; mostMb: number }>();

/** Of a thousand rows one is a duplicate, so that a hundred are accepted. */
const SUBMITTED_A_MB = 100.1;
const folder = mkdtempSync(join(tmpdir(), 'treadle-big-'));
const say = (line: string): void => void process.stdout.write(`${line}\n`);
let broken = false;

function check(holds: boolean, problem: string): void {
  if (holds) return;
  broken = true;
  say(`  BROKEN: ${problem}`);
}

function checkCounts(found: Expected & { readonly accepted: number }, expected: Expected): void {
  const { read, duplicates, rejected } = expected;
  const accepted = read - duplicates - rejected;
  const right = found.accepted === accepted && found.duplicates === duplicates && found.rejected === rejected;
  check(right, `expected ${accepted} accepted, ${duplicates} duplicates, ${rejected} rejected`);
}

const mb = (value: number): string => value.toFixed(0);

async function previewOf(kind: Kind): Promise<void> {
  const path = join(folder, `tickets.${endings[kind]}`);
  const expected = await generate(path, kind, { bytes: options.sizeMb * 1_000_000 });
  const args = ['triage', '--preview', '--json', path];
  const { code, stdout, seconds, peakMb } = await runChild('src/cli/treadle.mjs', args);
  say(
    `${kind}: ${mb(statSync(path).size / 1e6)} MB, ${expected.read} rows previewed and counted in ${mb(seconds)} s, ${mb(peakMb)} MB of memory`,
  );
  rmSync(path);
  check(code === 3 || (code === 0 && expected.rejected === 0), `the exit code is ${code}`);
  checkCounts(JSON.parse(stdout), expected);
  check(peakMb <= options.mostMb, `more than ${options.mostMb} MB`);
}

async function submitted(): Promise<void> {
  const path = join(folder, 'tickets.csv');
  const expected = await generate(path, 'wide', { rows: Math.round(options.sizeMb * SUBMITTED_A_MB) });
  const standIns = await startStandIns({ dataDir: folder });
  const clients = localAwsClients(standIns);
  try {
    await ensureTable(clients.dynamodb, TABLE_NAME);
    const names = { names: QUEUE_NAMES, visibilityTimeoutSeconds: 60 };
    const { queueUrl } = await ensureQueues(clients.sqs, names);
    const { sqsEndpoint, dynamodbEndpoint } = standIns;
    const args = [path, sqsEndpoint, dynamodbEndpoint, queueUrl, TABLE_NAME];
    const { code, stdout, seconds, peakMb } = await runChild('scripts/big-files/submit.ts', args);
    check(code === 0, `the exit code is ${code}`);
    const found = JSON.parse(stdout);
    say(
      `batch: ${mb(statSync(path).size / 1e6)} MB, ${found.rows} rows submitted in ${mb(seconds)} s, ${mb(peakMb)} MB of memory, ${mb(found.readMb)} MB of it before the first was`,
    );
    checkCounts({ ...found, read: expected.read }, expected);
    check(found.rows === found.accepted, `${found.accepted} rows were accepted`);
    check(peakMb <= options.mostMb, `more than ${options.mostMb} MB`);
  } finally {
    clients.dynamodb.destroy();
    clients.sqs.destroy();
    await standIns.close();
  }
}

try {
  for (const kind of kinds) if (options.kinds.split(',').includes(kind)) await previewOf(kind);
  await submitted();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = broken ? 1 : 0;
