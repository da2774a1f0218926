import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const dir = mkdtempSync(join(tmpdir(), 'reeve-retry-'));
mkdirSync(join(dir, 'test'));
symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
writeFileSync(
  join(dir, 'test/once.test.ts'),
  `import { expect, it } from 'vitest';
   let waits = 0, claims = 0;
   it('waits too long the first time', () => { waits += 1; if (waits === 1) throw new Error('not within 45000 ms: x'); });
   it('claims what does not hold the first time', () => { claims += 1; expect(claims).toBe(2); });`,
);
afterAll(() => rmSync(dir, { recursive: true }));

/** The last lines of a run of these two tests. */
function counted(env: NodeJS.ProcessEnv): readonly string[] {
  const { REEVE_COUNT_FILE: _, CI: __, ...clean } = process.env;
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'];
  const options = ['--root', dir, '--config', join(ROOT, 'vitest.config.ts')];
  const reporter = ['--reporter', join(ROOT, 'test/support/count_reporter.ts')];
  try {
    execFileSync(process.execPath, [...args, ...options, ...reporter], { env: { ...clean, ...env }, stdio: 'pipe' });
    return [];
  } catch (thrown) {
    return String((thrown as { stdout: Buffer }).stdout)
      .trimEnd()
      .split('\n')
      .slice(-2);
  }
}

describe('continuous integration', () => {
  it('retries and names a test that exceeded its time limit; a failed expectation stays failed', () => {
    expect(counted({ CI: 'true' })).toEqual([
      '  passed the second time: waits too long the first time',
      '1 passed, 1 failed, 0 skipped',
    ]);
  });

  it('is the only place where a test is retried', () => {
    expect(counted({}).at(-1)).toBe('0 passed, 2 failed, 0 skipped');
  });
});
