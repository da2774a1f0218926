import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const NEXT = join(ROOT, 'runtime/node26/node_modules', `node-linux-${process.arch}`, 'bin/node');
const run = promisify(execFile);

async function live(
  node: string,
  args: readonly string[],
): Promise<{ readonly major: string; readonly report: unknown }> {
  const { stdout: version } = await run(node, ['--version']);
  const { stdout } = await run(node, [join(ROOT, 'src/main.ts'), 'simulate', ...args, '--json']);
  return { major: version.split('.')[0]!, report: JSON.parse(stdout) };
}

/** What `bin/reeve.js` asks of V8 as the daemon starts. */
const SMALL = /const SMALL = \[([^\]]*)\]/.exec(readFileSync(join(ROOT, 'bin/reeve.js'), 'utf8'))?.[1] ?? '';

describe.skipIf(!existsSync(NEXT))('the options for a small heap', () => {
  it.each([
    ['this major', process.execPath],
    ['the next one', NEXT],
  ])('are known to %s', async (_, node) => {
    const flags = [...SMALL.matchAll(/'(--[^']+)'/g)].map(([, flag]) => flag!);
    expect(flags).toContain('--memory-saver-mode');
    const { stdout } = await run(node, [...flags, '--print', '"started"']);
    expect(stdout).toBe('started\n');
  });
});

// The second runtime comes as a package for Linux only.
describe.skipIf(!existsSync(NEXT))('the same seed on two majors of Node', () => {
  it.each([
    ['by the rules', ['--seed', '9', '--days', '1', '--calm', '1']],
    [
      'in a storm, with a hostile planner',
      ['--seed', '12', '--days', '0.2', '--calm', '1', '--storm', '--planner', 'adversary'],
    ],
  ])('runs the same to the byte (S13): %s', { timeout: 300_000 }, async (_, args) => {
    const [here, next] = await Promise.all([live(process.execPath, args), live(NEXT, args)]);
    expect(next.major).not.toBe(here.major);
    expect(next.report).toEqual(here.report);
    expect(here.report).toMatchObject({ violations: [], trace_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});
