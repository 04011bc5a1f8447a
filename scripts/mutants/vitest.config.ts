import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { type Edit, edited } from '../simulate/bundle.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const edit = JSON.parse(process.env['TREADLE_MUTANT'] ?? 'null') as Edit | null;

/** The usual tests over a source with one line changed, which stands nowhere but in memory. */
export default defineConfig({
  root,
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform: async (_code, id) =>
        edit !== null && id.split('?')[0] === resolve(root, edit.file) ? edited(edit) : undefined,
    },
  ],
  test: {
    include: ['test/**/*.test.ts'],
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    testTimeout: 20_000,
  },
});
