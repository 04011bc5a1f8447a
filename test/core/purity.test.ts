import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = new URL('../../src/core/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));

const forbidden =
  /\bDate\.now|new Date\(\)|Math\.random|\bcrypto\b|\bprocess\b|\bglobalThis\b|\bfetch\(|setTimeout|setInterval|performance\.|\bconsole\b|from 'node:|import\(/;

it.each(files)('core/%s touches no clock, randomness, environment or I/O', (name) => {
  const code = readFileSync(new URL(name, folder), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  expect(code.match(forbidden)?.[0]).toBeUndefined();
});

it.each(files)('core/%s imports only zod and core', (name) => {
  const imports = [...readFileSync(new URL(name, folder), 'utf8').matchAll(/from '([^']+)'/g)].map(
    (m) => m[1],
  );
  expect(imports.filter((from) => from !== 'zod' && !/^\.\/[a-z-]+\.ts$/.test(from ?? ''))).toEqual([]);
});
