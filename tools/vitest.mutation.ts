import { defineConfig } from 'vitest/config';

/**
 * The fast tests of what is mutated: without servers, files or processes. The laws as properties are left out: each
 * mutant would run for their seconds, and what only they notice should have an example, too.
 */
export default defineConfig({
  test: {
    include: ['test/guard/**/*.test.ts', 'test/agent/**/*.test.ts', 'test/ground/**/*.test.ts'],
    exclude: ['test/guard/laws.test.ts', 'test/guard/breaker_model.test.ts', 'test/ground/envelope.test.ts'],
    testTimeout: 20_000,
    pool: 'threads',
  },
});
