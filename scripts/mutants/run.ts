/** Tries each change of the mutated sources on the test files of one process. */
import { appendFileSync, readFileSync } from 'node:fs';
import { type RunnerTestCase as Test, TestRunner } from 'vitest';

/** What Stryker's switches look at: they stand in the changed sources and share one global. */
interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: Coverage;
}
export interface Coverage {
  readonly static: Readonly<Record<string, number>>;
  readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>;
}
/** What one test file found out, handed over as the file's `meta`. */
export interface FileMeta {
  readonly coverage: Coverage;
  readonly kills: Readonly<Record<string, Kill>>;
}
export interface Kill {
  readonly test: string;
  readonly how: 'failed' | 'endless';
  readonly because: string;
}

/** Names the file in which the test files share what is caught already: one id per line. */
export const CAUGHT_FILE = 'REEVE_MUTANTS_CAUGHT';

/** Only what waits for ever meets it: a loop that does not end meets its count of hits. */
const ENDLESS_MS = 30_000;
/** A changed loop may run longer, but not this many times longer. */
const HITS_FACTOR = 100;
const HITS_MIN = 1_000;
/** Counts what runs while a change is switched on, so that it is not mistaken for what the plain test covers. */
const ASIDE = 'aside';

const switches = (): Switches => {
  const all = globalThis as unknown as { __stryker__?: Switches };
  all.__stryker__ ??= {};
  return all.__stryker__;
};

/** The name by which Stryker's report knows a test. */
export function nameOf(test: Test): string {
  const names = [test.name];
  for (let suite = test.suite; suite !== undefined; suite = suite.suite) names.unshift(suite.name);
  return names.join(' ').trim();
}

const caughtSoFar = (): ReadonlySet<string> => new Set(readFileSync(process.env[CAUGHT_FILE]!, 'utf8').split('\n'));

/**
 * Runs each test once as it is, then once for each change that the test came by, all with the modules loaded once: a
 * run takes as long as the test does, and nothing is loaded again. A test that fails with a change switched on has
 * caught it. At last the test runs as it is once more: a change that left something behind would show.
 */
export default class OnePassRunner extends TestRunner {
  readonly #kills: Record<string, Kill> = {};

  async runTask(test: Test): Promise<void> {
    const plain = TestRunner.getTestFn(test);
    const run = async (): Promise<void> => {
      this.onBeforeTryTask(test, { retry: 0, repeats: 0 });
      await plain();
    };
    const own = switches();
    own.currentTestId = test.id;
    await run();
    const covered = Object.entries(own.mutantCoverage?.perTest[test.id] ?? {});
    own.currentTestId = ASIDE;
    const caught = caughtSoFar();
    for (const [mutant, hits] of covered) {
      if (caught.has(mutant)) continue;
      const kill = await this.#tried(mutant, hits, run);
      if (kill === undefined) continue;
      this.#kills[mutant] = { ...kill, test: nameOf(test) };
      appendFileSync(process.env[CAUGHT_FILE]!, `${mutant}\n`);
    }
    try {
      if (covered.length > 0) await run();
    } catch (cause) {
      throw new Error('a change left something behind: what tests share must be frozen', { cause });
    } finally {
      own.currentTestId = undefined;
    }
  }

  override onAfterRunFiles(files: Parameters<TestRunner['onAfterRunFiles']>[0]): void {
    const { perTest = {}, static: fixed = {} } = switches().mutantCoverage ?? {};
    const coverage = { static: fixed, perTest: { ...perTest } };
    delete (coverage.perTest as Record<string, unknown>)[ASIDE];
    for (const file of files) Object.assign(file.meta, { coverage, kills: this.#kills } satisfies FileMeta);
    super.onAfterRunFiles(files);
  }

  async #tried(mutant: string, hits: number, run: () => Promise<void>): Promise<Omit<Kill, 'test'> | undefined> {
    const own = switches();
    own.activeMutant = mutant;
    own.hitCount = 0;
    own.hitLimit = Math.max(HITS_MIN, hits * HITS_FACTOR);
    const endless = Promise.withResolvers<'endless'>();
    const timer = setTimeout(() => endless.resolve('endless'), ENDLESS_MS);
    try {
      const ended = await Promise.race([run(), endless.promise]);
      return ended === 'endless' ? { how: 'endless', because: `not done in ${ENDLESS_MS} ms` } : undefined;
    } catch (error) {
      const because = String(error instanceof Error ? error.message : error).slice(0, 200);
      return { how: own.hitCount > own.hitLimit ? 'endless' : 'failed', because };
    } finally {
      clearTimeout(timer);
      own.activeMutant = undefined;
      own.hitCount = undefined;
    }
  }
}
