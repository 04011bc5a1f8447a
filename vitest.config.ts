import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/slow/**', 'node_modules/**'],
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    testTimeout: 30_000,
    // Some start processes first, and a busy machine takes its time.
    hookTimeout: 60_000,
    // Modules keep no state that a test could see, so that files may share them: loading them anew took a third of the time.
    isolate: false,
    // Each worker loads every module once, which takes as long as a tenth of all tests: one for each core.
    maxWorkers: availableParallelism(),
  },
});
