import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { mutants } from '../../scripts/mutants/list.ts';

const read = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');

it.each(mutants)(
  'the code that is taken out stands where it is said, once: $sentence',
  ({ file, find, test }) => {
    expect(read(file).split(find)).toHaveLength(2);
    if (test !== undefined) expect(read(test.file)).toContain(test.name);
  },
);
