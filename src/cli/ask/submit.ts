import type { NewJob } from '../../client.ts';
import { isObject } from '../../core/content.ts';
import { TerminalError } from '../../core/errors.ts';
import { printedJson } from '../../core/printed.ts';
import { exitCode } from '../exit-codes.ts';
import { hint } from '../hint.ts';
import { readWhole } from '../read-whole.ts';
import type { Asking } from './asking.ts';
import { sayIfStopped } from './kill-switch.ts';
import { jobLine } from './shown.ts';

export interface LimitOptions {
  readonly maxCostUsd?: number;
  readonly maxSteps?: number;
  readonly maxTokens?: number;
  readonly maxConsecutiveFailures?: number;
  readonly timeoutSeconds?: number;
}

export interface SubmitOptions extends LimitOptions {
  readonly agent: string;
  readonly file?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly webhook?: string;
  readonly key?: string;
}

/** Submits one job. */
export async function submitJob(
  asking: Asking,
  text: string | undefined,
  options: SubmitOptions,
): Promise<number> {
  const { client, terminal, json, endpoint } = asking;
  const { agent, metadata, webhook, key } = options;
  const limits = limitsOf(options);
  const wanted: NewJob = {
    agent,
    input: await inputOf(text, options.file),
    ...(limits === undefined ? {} : { limits }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(webhook === undefined ? {} : { webhook }),
  };
  const job = await client.submit(wanted, key === undefined ? {} : { idempotencyKey: key });
  terminal.out(json ? `${printedJson(job)}\n` : jobLine(job, terminal.color));
  if (!json) {
    terminal.err(`${hint(`watch ${job.id}`, endpoint)} shows how it goes on.\n`);
    await sayIfStopped(asking);
  }
  return exitCode.done;
}

/** Undefined where no limit was named. */
export function limitsOf(options: LimitOptions): LimitOptions | undefined {
  const { maxCostUsd, maxSteps, maxTokens, maxConsecutiveFailures, timeoutSeconds } = options;
  const named = { maxCostUsd, maxSteps, maxTokens, maxConsecutiveFailures, timeoutSeconds };
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

async function inputOf(text: string | undefined, file: string | undefined): Promise<NewJob['input']> {
  if ((text === undefined) === (file === undefined)) {
    throw new TerminalError(
      'usage',
      'submit takes its input as one argument, or from --file FILE (- is stdin)',
    );
  }
  if (text !== undefined) return text;
  const read = utf8(file ?? '-', await readWhole(file ?? '-'));
  return jsonObject(read) ?? read;
}

function utf8(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new TerminalError('unreadable_file', `${file}: it is not UTF-8`, { cause });
  }
}

/** A file that holds a JSON object is sent as one. */
function jsonObject(text: string): NewJob['input'] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as NewJob['input']) : undefined;
  } catch {
    return undefined;
  }
}
