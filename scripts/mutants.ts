import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { killBySimulation } from './mutants/by-simulation.ts';
import { killByTest } from './mutants/by-test.ts';
import { type Mutant, mutants } from './mutants/list.ts';
import { describeFound } from './simulate/report.ts';

const command = new Command('mutants')
  .description('Takes the rules of the system out, one at a time, and shows what notices.')
  .option('--only <words>', 'mutants whose sentence holds these words')
  .option('--seeds <n>', 'random schedules for each', Number, 4_000);
const { only, seeds } = command.parse().opts<{ only?: string; seeds: number }>();

interface Verdict {
  readonly mutant: Mutant;
  readonly by: 'simulation' | 'test' | undefined;
  readonly how: string;
}

const said = (found: Parameters<typeof describeFound>[0]): string =>
  describeFound(found).split('\n')[0]?.slice('BROKEN: '.length) ?? '';

async function judge(mutant: Mutant): Promise<Verdict> {
  if (mutant.test !== undefined) {
    const name = await killByTest(mutant);
    return name === undefined
      ? { mutant, by: undefined, how: `no assertion of ${mutant.test.file} failed` }
      : { mutant, by: 'test', how: `${mutant.test.file}: ${name}` };
  }
  const { broken, thrown } = await killBySimulation(mutant, seeds);
  if (broken !== undefined) {
    const where = broken.job === '' ? `seed ${broken.seed}` : `a single fault of ${broken.job}`;
    return { mutant, by: 'simulation', how: `${said(broken)} (${where})` };
  }
  const instead = thrown === undefined ? '' : `, but code threw: ${said(thrown)}`;
  return { mutant, by: undefined, how: `no rule was broken in ${seeds} schedules${instead}` };
}

async function judgeAll(list: readonly Mutant[]): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const waiting = list.values();
  const one = async (): Promise<void> => {
    for (const mutant of waiting) {
      const verdict = await judge(mutant);
      verdicts.push(verdict);
      const mark = verdict.by === undefined ? 'SURVIVED' : 'killed  ';
      process.stdout.write(`${mark} ${mutant.sentence}\n         ${verdict.how}\n`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, one));
  return verdicts;
}

const verdicts = await judgeAll(
  mutants.filter(({ sentence }) => only === undefined || sentence.includes(only)),
);
const count = (by: Verdict['by']): number => verdicts.filter((verdict) => verdict.by === by).length;
process.stdout.write(
  `${verdicts.length} mutants: ${count('simulation')} killed by the simulation, ${count('test')} by named tests, ` +
    `${count(undefined)} survived\n`,
);
process.exitCode = count(undefined) === 0 && verdicts.length > 0 ? 0 : 1;
