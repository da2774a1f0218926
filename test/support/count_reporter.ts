import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends the run with one plain line of counts, and lists what was skipped and why, and what passed only the second
 * time: never silently.
 * With REEVE_COUNT_FILE the lines go there, for scripts/test.sh to add its own checks and print them last.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 };
    const skipped: string[] = [];
    const retried: string[] = [];
    for (const module of modules) {
      if (module.errors().length > 0) count.failed += 1;
      // A suite whose hook failed runs none of its tests: they count as skipped, and the hook as the failure it is.
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (test.diagnostic()?.flaky === true) retried.push(`  passed the second time: ${test.fullName}`);
        if (result.state === 'passed') count.passed += 1;
        else if (result.state === 'failed') count.failed += 1;
        else {
          count.skipped += 1;
          skipped.push(
            `  skipped: ${test.fullName}${result.state === 'skipped' && result.note ? ` (${result.note})` : ''}`,
          );
        }
      }
    }
    const lines = [...skipped, ...retried, `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`];
    const text = `${lines.join('\n')}\n`;
    const file = process.env.REEVE_COUNT_FILE;
    if (file) writeFileSync(file, text);
    else process.on('exit', () => process.stdout.write(text));
  }
}
