import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

const run = (script: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [resolve(ROOT, script), ...args], { encoding: 'utf8', timeout: 30_000 });

const SCRIPTS: readonly (readonly [script: string, name: string, option: string])[] = [
  ['scripts/nightly.ts', 'nightly', '--seeds <100000>'],
  ['scripts/learning.ts', 'learning', '--recall <value>'],
  ['scripts/downtime.ts', 'downtime', '--calm <30>'],
  ['scripts/policies.ts', 'policies', '--quick'],
  ['scripts/release.ts', 'release', '--dry-run'],
];

describe('a script', () => {
  it.each([
    ...SCRIPTS,
    ['scripts/eval.ts', 'scripts/eval.ts', '--mistakes'],
    ['bench/main.ts', 'bench', 'living     the daemon with living channels'],
  ] as const)('%s says what it is for, and its options, where somebody asks', (script, name, option) => {
    const { status, stdout, stderr } = run(script, '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(name);
    expect(stdout).toContain(option);
    expect(stdout).not.toMatch(/^ ?\*|^\/\//m);
  });

  it.each(SCRIPTS)('%s refuses an option that there is not', (script, _, option) => {
    const { status, stdout, stderr } = run(script, '--sedes', '3');
    expect([status, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(/^Unknown option '--sedes'\n/);
    expect(stderr).toContain(option);
    expect(stderr).not.toContain('    at ');
  });
});
