import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives each run of the tests a directory of its own for temporary files, and removes it at the end, with what tests
 * that failed or were stopped left in it. Open to all users like the system's own: servers that tests start may run as
 * others.
 */
export default function setUp(): () => void {
  const before = process.env.TMPDIR;
  const directory = mkdtempSync(join(tmpdir(), 'reeve-tests-'));
  chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
}
