import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/slow/**/*.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Most of these wait for processes of their own; more at once would only make them wait for each other.
    maxWorkers: 3,
    disableConsoleIntercept: true,
  },
});
