import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Limits only end what hangs. They are wide, because no test may pass or fail by how busy the machine is.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 20 } },
    pool: 'forks',
    reporters: ['default', './test/support/count_reporter.ts'],
  },
});
