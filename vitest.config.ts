import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

/** By `until`, or by the own limit of a test or a hook. */
const WAITED_TOO_LONG = /^(?:not within \d+ ms|(?:Test|Hook) timed out in)/;

/**
 * Rooms whose tests need nothing but a processor: their time is virtual, and no server of theirs shares the machine. So
 * they take every core. All others leave one to the servers that they start, where there are more than two: on two, one
 * worker alone keeps less than half of the machine busy.
 */
const OF_PROCESSOR = ['guard', 'ground', 'incident', 'learning', 'simulation'].map(
  (room) => `test/${room}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    // Limits only end what hangs. They are wide, because no test may pass or fail by how busy the machine is.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 20 } },
    pool: 'forks',
    globalSetup: join(import.meta.dirname, 'test/support/scratch_directory.ts'),
    // Continuous integration tries once more what waited longer than its limit, for its machine belongs to others too,
    // and the count names it. What fails by what it expects, a property above all, is never tried again.
    ...(process.env.CI === undefined ? {} : { retry: { count: 1, condition: WAITED_TOO_LONG } }),
    reporters: ['default', './test/support/count_reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'processor',
          include: OF_PROCESSOR,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'machine',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...OF_PROCESSOR],
          maxWorkers: Math.max(2, availableParallelism() - 1),
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
