import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');

describe('a night of seeds', () => {
  it('shares its seeds among workers, plays each of them, and names the commit', { timeout: 180_000 }, async () => {
    const args = ['scripts/nightly.ts', '--from', '2', '--seeds', '3', '--workers', '2'];
    const { stdout } = await run(process.execPath, args, { cwd: ROOT });
    expect(stdout).toMatch(/^commit (?:unknown|[0-9a-f]{40}.*), seeds 2 to 4, 2 workers\n/);
    expect(stdout).toMatch(/\n3 of 3 seeds, 0\.4 virtual days, .*no law broken\n$/);
  });
});
