import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Real servers on a busy machine sometimes miss their moment; what fails three times over is broken.
    retry: process.env.CI ? 2 : 0,
    pool: 'forks',
    reporters: ['default', './test/support/count-reporter.ts'],
  },
});
