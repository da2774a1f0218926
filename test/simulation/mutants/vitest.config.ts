import { defineConfig } from 'vitest/config';
import { mutated } from './mutate.ts';

/** Runs tests against the mutant that MUTANT names: its pieces are replaced as the files are read. */
export default defineConfig({
  root: new URL('../../..', import.meta.url).pathname,
  plugins: [{ name: 'mutant', enforce: 'pre', transform: (code, id) => mutated(id.split('?')[0]!, code) }],
  // What one mutant was made into must never be taken for another.
  test: {
    fsModuleCache: false,
    include: ['test/guard/**/*.test.ts'],
    pool: 'forks',
    bail: 1,
    reporters: ['dot'],
    testTimeout: 60_000,
  },
});
