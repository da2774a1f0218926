import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSandbox, type Sandbox } from './sandbox.ts';

const TOOLS = ['dirname', 'mktemp', 'date', 'grep', 'tr', 'cut', 'sed', 'tail', 'rm', 'sleep', 'cat'];
const COUNTED = 'printf "  skipped: a (no ffmpeg)\\n3 passed, 0 failed, 1 skipped\\n" >"$REEVE_COUNT_FILE"';

function checkout(commands: { tsc?: string; biome?: string; vitest?: string } = {}): Sandbox {
  const sandbox = openSandbox();
  sandbox.bring('scripts/test.sh');
  sandbox.borrow(...TOOLS);
  sandbox.command('tsc', commands.tsc ?? 'exit 0');
  sandbox.command('biome', commands.biome ?? 'exit 0');
  sandbox.command('vitest', commands.vitest ?? COUNTED);
  return sandbox;
}

async function check(sandbox: Sandbox) {
  const ended = await sandbox.run('/bin/sh', join(sandbox.dir, 'scripts/test.sh'));
  return { code: ended.code, lines: ended.stdout.trimEnd().split('\n') };
}

describe('scripts/test.sh', () => {
  it('ends with the count line after the skipped tests', async () => {
    using sandbox = checkout();
    const { code, lines } = await check(sandbox);
    expect(code).toBe(0);
    expect(lines).toEqual(['  skipped: a (no ffmpeg)', '3 passed, 0 failed, 1 skipped']);
  });

  it('runs everything and counts each failed check', async () => {
    using sandbox = checkout({ tsc: 'exit 2', biome: 'exit 1' });
    const { code, lines } = await check(sandbox);
    expect(code).toBe(1);
    expect(lines.at(-1)).toBe('3 passed, 2 failed, 1 skipped');
    expect(lines[0]).toBe('failed: types (tsc -p .)');
  });

  it('counts a test runner that died without a result as a failure', async () => {
    using sandbox = checkout({ vitest: 'exit 139' });
    const { code, lines } = await check(sandbox);
    expect(code).toBe(1);
    expect(lines.at(-1)).toBe('0 passed, 1 failed, 0 skipped');
  });

  it('counts a test runner that exits with an error though every test passed', async () => {
    using sandbox = checkout({ vitest: `${COUNTED}; exit 1` });
    const { lines } = await check(sandbox);
    expect(lines.at(-1)).toBe('3 passed, 1 failed, 1 skipped');
  });

  it.skipIf(process.platform !== 'linux')('finds, names and ends a process that a test left behind', async () => {
    // It counts as left behind once it runs: a fork that is not yet `sleep` has the name of its parent.
    const leave = 'sleep 300 >/dev/null 2>&1 &\necho $! >pid\nuntil grep -q 300 /proc/$!/cmdline; do :; done';
    using sandbox = checkout({ vitest: `${leave}\n${COUNTED}` });
    const { code, lines } = await check(sandbox);
    expect(code).toBe(1);
    expect(lines.find((line) => line.startsWith('failed: left behind'))).toContain('sleep 300');
    expect(lines.at(-1)).toBe('3 passed, 1 failed, 1 skipped');
    const pid = (await sandbox.run('/bin/cat', 'pid')).stdout.trim();
    expect(pid).toMatch(/^\d+$/);
    // Gone, or a zombie that only waits for its parent to ask: both have no command line.
    await expect.poll(async () => (await sandbox.run('/bin/cat', `/proc/${pid}/cmdline`)).stdout).toBe('');
  });
});
