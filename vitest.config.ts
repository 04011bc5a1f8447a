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
    // Many tests wait for loopback.
    maxWorkers: availableParallelism() + 1,
  },
});
