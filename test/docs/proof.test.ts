import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { mutants } from '../../scripts/mutants/list.ts';
import { faultsOf } from '../../src/testing/simulation/faults.ts';
import { referenceJobs } from '../../src/testing/simulation/reference-jobs.ts';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const proof = read('docs/proof.md');

it('shows the worked example of the proof as it is tested', () => {
  const example = read('test/testing/prove-your-tools.test.ts')
    .replace("'../../src/index.ts'", "'treadle'")
    .replace("'../../src/testing/index.ts'", "'treadle/testing'");
  expect(proof).toContain(example);
});

it('counts the mutants as they are', () => {
  const named = mutants.filter(({ test }) => test !== undefined).length;
  expect(proof).toContain(
    `Of the ${mutants.length} mutants the simulation finds ${mutants.length - named} by itself`,
  );
  expect(mutants.length).toBeGreaterThanOrEqual(24);
  expect(mutants.length - named).toBeGreaterThanOrEqual(16);
});

it('names every reference job, and tables every fault with no count under 50', () => {
  for (const { name } of referenceJobs) expect(proof).toContain(name);
  const [header = '', , ...rows] = read('docs/proof-table.md')
    .split('\n')
    .filter((line) => line.startsWith('|'));
  for (const fault of new Set<string>(Object.values(faultsOf).flat())) expect(header).toContain(` ${fault} `);
  const counts = rows.flatMap((row) =>
    row
      .split('|')
      .slice(2)
      .map((cell) => cell.trim())
      .filter((cell) => cell !== ''),
  );
  expect(Math.min(...counts.map(Number))).toBeGreaterThanOrEqual(50);
});

it('takes out each rule that the protocol marks', () => {
  const rules = new Set(mutants.map(({ rule }) => rule));
  for (const rule of [
    'owner token',
    'one mark per event',
    'put intent only if absent',
    'stamp first',
    'poison is counted in the head',
    'the dead-letter consumer never fails a job',
    'everything live is due',
    '“not done” never re-runs',
    'call key',
    'admitted first',
    'cancel of a row that was not made',
    'reserve in the batch first',
  ])
    expect(rules).toContain(rule);
});
