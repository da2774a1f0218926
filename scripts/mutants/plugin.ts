/** Gives Stryker a test runner that tries every change in its dry run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { RunnerTestCase as Test, RunnerTestFile as File, RunnerTestSuite as Suite } from 'vitest';
import { createVitest } from 'vitest/node';
import { CAUGHT_FILE, type Coverage, type FileMeta, type Kill, nameOf } from './run.ts';

/**
 * A test runner for Stryker. Its "dry run" already tries every change (`run.ts`), so that the runs that Stryker asks
 * for afterwards are look-ups. One runner only: the others would know nothing (`concurrency: 1`).
 */
class OnePass {
  readonly #kills = new Map<string, Kill & { readonly id: string }>();

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    process.env.NODE_ENV = 'test';
    process.env.VITEST = '1';
  }

  async dryRun() {
    const dir = mkdtempSync(join(tmpdir(), 'reeve-mutants-'));
    process.env[CAUGHT_FILE] = join(dir, 'caught');
    writeFileSync(process.env[CAUGHT_FILE], '');
    const vitest = await createVitest('test', {
      config: 'scripts/vitest.mutation.ts',
      runner: './scripts/mutants/run.ts',
      watch: false,
      includeTaskLocation: true,
      testTimeout: 0,
      dangerouslyIgnoreUnhandledErrors: true,
      reporters: [{}],
    });
    try {
      await vitest.start();
      const files = vitest.state.getFiles();
      const tests = files.flatMap((file) => testsOf(file).map((test) => resultOf(file, test)));
      const coverage: { static: Record<string, number>; perTest: Record<string, Record<string, number>> } = {
        static: {},
        perTest: {},
      };
      for (const file of files) this.#take(file, coverage);
      const broken = files.find(({ result, tasks }) => result?.state === 'fail' && tasks.length === 0);
      if (broken !== undefined) {
        return { status: 'error', errorMessage: `${broken.filepath}: ${broken.result?.errors?.[0]?.message}` };
      }
      return { status: 'complete', tests, mutantCoverage: coverage };
    } finally {
      await vitest.close();
      rmSync(dir, { recursive: true });
    }
  }

  async mutantRun({ activeMutant }: { readonly activeMutant: { readonly id: string } }) {
    const kill = this.#kills.get(activeMutant.id);
    if (kill === undefined) return { status: 'survived', nrOfTests: 1 };
    if (kill.how === 'endless') return { status: 'timeout', reason: kill.because };
    return { status: 'killed', nrOfTests: 1, killedBy: [kill.id], failureMessage: kill.because };
  }

  #take(file: File, all: { static: Record<string, number>; perTest: Record<string, Record<string, number>> }): void {
    const { coverage, kills } = file.meta as unknown as { coverage?: Coverage; kills?: FileMeta['kills'] };
    const names = new Map(testsOf(file).map((test) => [test.id, idOf(file, test)]));
    Object.assign(all.static, coverage?.static);
    for (const [test, hits] of Object.entries(coverage?.perTest ?? {})) all.perTest[names.get(test)!] = { ...hits };
    for (const [mutant, kill] of Object.entries(kills ?? {})) {
      this.#kills.set(mutant, { ...kill, id: `${relative(process.cwd(), file.filepath)}#${kill.test}` });
    }
  }
}

const testsOf = (suite: Suite | File): readonly Test[] =>
  suite.tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task) : [task]));

const idOf = (file: File, test: Test): string => `${relative(process.cwd(), file.filepath)}#${nameOf(test)}`;

function resultOf(file: File, test: Test) {
  const passed = test.result?.state === 'pass';
  return {
    id: idOf(file, test),
    name: nameOf(test),
    timeSpentMs: test.result?.duration ?? 0,
    fileName: file.filepath,
    ...(test.location && { startPosition: { line: test.location.line - 1, column: test.location.column - 1 } }),
    status: passed ? 0 : 1,
    ...(passed ? {} : { failureMessage: test.result?.errors?.[0]?.message ?? 'failed' }),
  };
}

const create = () => new OnePass();
create.inject = [] as const;

export const strykerPlugins = [{ kind: 'TestRunner', name: 'one-pass', factory: create }];
