import { appendFileSync, readFileSync } from 'node:fs';
import * as z from 'zod';

const refundSchema = z.object({ key: z.string(), orderId: z.string(), amountCents: z.number() });

/** One refund that took effect. */
export type Refund = z.output<typeof refundSchema>;

const inMemory: Refund[] = [];

/**
 * A payment provider for demos. Refunds are JSON lines in the file that `TREADLE_REFUNDS_FILE` names at the time of the
 * call, so that processes can be killed and their effects counted; without it they are kept in memory.
 * A key that was seen before gives its first refund back, without a second effect.
 */
export function makeRefund(refund: Refund): Refund {
  const earlier = refundByKey(refund.key);
  if (earlier !== undefined) return earlier;
  const file = refundsFile();
  if (file === undefined) {
    inMemory.push(refund);
    return refund;
  }
  // A process that was killed while it wrote may have left half a line, to which nothing may be joined.
  const text = readRefunds(file);
  const start = text === '' || text.endsWith('\n') ? '' : '\n';
  appendFileSync(file, `${start}${JSON.stringify(refund)}\n`);
  return refund;
}

/** The refund that was made under this key, if any. */
export function refundByKey(key: string): Refund | undefined {
  return listRefunds().find((refund) => refund.key === key);
}

/** Every refund that took effect, oldest first. */
export function listRefunds(): readonly Refund[] {
  const file = refundsFile();
  if (file === undefined) return [...inMemory];
  return readRefunds(file)
    .split('\n')
    .flatMap((line) => parseLine(line));
}

function refundsFile(): string | undefined {
  const file = process.env['TREADLE_REFUNDS_FILE'];
  return file === undefined || file === '' ? undefined : file;
}

function readRefunds(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

function parseLine(line: string): readonly Refund[] {
  try {
    const parsed = refundSchema.safeParse(JSON.parse(line));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}
