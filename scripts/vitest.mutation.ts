/** Configures the test run of the mutants: which tests, in which order. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';

/** Tables of edges are quick, and whole answers catch much at once: others then try only what is left. */
const KEEN = [
  ...['deaths', 'stalls', 'unknown', 'health', 'nearby', 'speed', 'classify_input', 'probed', 'signals'],
  ...['upstream', 'media', 'encoders', 'host', 'observer'],
  ...['symptoms', 'facts', 'correlate', 'engine'],
].map((name) => `${name}.test.ts`);
/** Long stories: a change that comes so far costs the most. */
const LONG = ['reported.test.ts', 'seen.test.ts', 'faults.test.ts'];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const name = moduleId.slice(moduleId.lastIndexOf('/') + 1);
  if (LONG.includes(name)) return KEEN.length + 1 + LONG.indexOf(name);
  return KEEN.includes(name) ? KEEN.indexOf(name) : KEEN.length;
};

class KeenFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => placeOf(a) - placeOf(b));
  }
}

/**
 * The fast tests of what is mutated: without servers, files or processes. Laws and orders as properties are left out:
 * each change would run for their seconds, and what only they notice should have an example, too.
 */
export default defineConfig({
  test: {
    include: ['test/guard/**/*.test.ts', 'test/agent/**/*.test.ts', 'test/ground/**/*.test.ts'],
    exclude: [
      'test/guard/laws.test.ts',
      'test/guard/breaker_model.test.ts',
      'test/ground/envelope.test.ts',
      'test/ground/precedence.test.ts',
    ],
    testTimeout: 20_000,
    pool: 'threads',
    maxWorkers: 1,
    sequence: { sequencer: KeenFirst },
  },
});
