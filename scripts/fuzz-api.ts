import { Command, InvalidArgumentError } from 'commander';
import fc from 'fast-check';
import { faultsOf } from '../test/api/faults.ts';
import { anyRequest, type FuzzRequest, type Known } from '../test/api/generate-requests.ts';
import { createCoverage, gaps, table } from './fuzz/coverage.ts';
import { letGoOn, readKnown } from './fuzz/known.ts';
import { startOwnApi } from './fuzz/own-api.ts';
import { sendTo } from './fuzz/send.ts';
import { elsewhere, type Target } from './fuzz/target.ts';

interface Options {
  readonly requests: number;
  readonly seed: number;
  readonly endpoint?: string;
  readonly anyAnswers: boolean;
}

const whole = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('a whole number from 1 up is due');
  return value;
};

const command = new Command('fuzz')
  .description(
    'Sends right and hostile requests to every route of the API over HTTP, and judges each answer.',
  )
  .option('--requests <n>', 'how many', whole, 5_000)
  .option('--seed <n>', 'of the requests', whole, 1)
  .option(
    '--endpoint <url>',
    'an API that runs already, such as the one of treadle dev; default: one in memory',
  )
  .option('--any-answers', 'do not ask for more until every documented answer was seen', false);

/** Requests between two looks at what there is. */
const ROUND = 100;
const MAX_SHOWN = 20;

const shown = ({ method = 'GET', path, headers, text, tenant }: FuzzRequest): string =>
  JSON.stringify({ method, path: path.slice(0, 300), headers, text: text?.slice(0, 300), tenant });

/** Without these nothing would be left to ask for. */
const makers: ReadonlySet<string> = new Set(['createJob', 'createBatch']);
/** More rounds at most, of requests to those routes of which an answer was seen too seldom. */
const MAX_MORE = 40;

interface Total {
  readonly coverage: ReturnType<typeof createCoverage>;
  readonly found: string[];
  asked: number;
  valid: number;
}

async function judge(target: Target, request: FuzzRequest, total: Total): Promise<void> {
  const reply = await sendTo(target.url, request);
  const faults = reply === undefined ? ['no answer for 10 seconds'] : faultsOf(reply);
  if (faults.length > 0) {
    total.found.push(
      `${faults.join(', ')}: ${shown(request)} got ${reply?.status} ${reply?.text.slice(0, 300)}`,
    );
  }
  total.asked += 1;
  if (reply === undefined) return;
  if (reply.status < 300) total.valid += 1;
  total.coverage.add(request.operationId ?? 'none', reply.status);
}

async function fuzz({ requests, seed, anyAnswers }: Options, target: Target): Promise<number> {
  const total: Total = { coverage: createCoverage(), found: [], asked: 0, valid: 0 };
  let known: Known | undefined;
  const round = async (numRuns: number, wanted?: (operationId: string) => boolean): Promise<void> => {
    await letGoOn(target.url);
    await target.goOn();
    known = await readKnown(target.url, known);
    for (const request of fc.sample(anyRequest(known, wanted), { seed: seed + total.asked, numRuns })) {
      await judge(target, request, total);
    }
  };
  while (total.asked < requests) await round(Math.min(ROUND, requests - total.asked));
  const { valid } = total;
  if (valid < requests / 3) total.found.push(`only ${valid} of ${requests} requests were right`);
  for (let more = 0; more < MAX_MORE && !anyAnswers; more += 1) {
    const rare = gaps(total.coverage.seen, target).missing.map(({ operationId }) => operationId);
    if (rare.length === 0) break;
    await round(ROUND, (operationId) => rare.includes(operationId) || makers.has(operationId));
  }
  return verdict(requests, target, total, anyAnswers);
}

function verdict(
  requests: number,
  target: Target,
  { coverage, found, asked, valid }: Total,
  anyAnswers: boolean,
): number {
  const { missing, left } = gaps(coverage.seen, target);
  const wrong = [...found, ...(anyAnswers ? [] : missing.map(({ words }) => words))];
  if (target.logged().includes('canary-token')) wrong.push('a secret in the log');
  process.stdout.write(table(coverage.seen));
  const more = asked - requests;
  process.stdout.write(
    `\n${requests} requests and ${more} more for rare answers, ${valid} of them right\nleft out:\n${lines(left)}`,
  );
  process.stdout.write(
    wrong.length === 0 ? 'nothing is wrong\n' : `wrong:\n${lines(wrong.slice(0, MAX_SHOWN))}`,
  );
  return wrong.length === 0 ? 0 : 1;
}

const lines = (list: readonly string[]): string => list.map((line) => `  ${line}\n`).join('');

const options = command.parse().opts<Options>();
const own = options.endpoint === undefined ? await startOwnApi(options.seed) : undefined;
process.exitCode = await fuzz(options, own ?? elsewhere(options.endpoint ?? ''));
await own?.close();
