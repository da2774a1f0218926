import { spawn } from 'node:child_process';
import { closeSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readProcess } from '../../../src/collect/probes/process.ts';
import { aDirectory } from '../support/tailing.ts';

describe.skipIf(process.platform !== 'linux')('readProcess (needs /proc)', () => {
  it('reads this process', () => {
    const reading = readProcess(process.pid)!;
    expect(reading).toMatchObject({ state: expect.stringMatching(/^[RSD]$/), parent: process.ppid });
    expect(reading.startTicks).toBeGreaterThan(0);
    expect(reading.cpuMs).toBeGreaterThan(0);
  });

  it('sees what is written, wherever to, and CPU time that is used', () => {
    const before = readProcess(process.pid)!;
    const fd = openSync('/dev/null', 'w');
    writeSync(fd, Buffer.alloc(100_000));
    closeSync(fd);
    const until = process.hrtime.bigint() + 60_000_000n;
    while (process.hrtime.bigint() < until);
    const after = readProcess(process.pid)!;
    expect(after.bytesWritten! - before.bytesWritten!).toBeGreaterThanOrEqual(100_000);
    expect(after.cpuMs - before.cpuMs).toBeGreaterThanOrEqual(20);
    expect(after.startTicks).toBe(before.startTicks);
  });

  it('distinguishes a halted process, one process generation from the next, and an ended process', async () => {
    const child = spawn('sleep', ['60']);
    onTestFinished(() => void child.kill('SIGKILL'));
    const pid = child.pid!;
    child.kill('SIGSTOP');
    await expect.poll(() => readProcess(pid)?.state).toBe('T');
    child.kill('SIGCONT');
    await expect.poll(() => readProcess(pid)?.state).toBe('S');
    child.kill('SIGKILL');
    await expect.poll(() => readProcess(pid)).toBeUndefined();
  });

  it('is not confused by blanks and brackets in a name', async () => {
    const path = join(aDirectory(), 'a) R 1 (b');
    symlinkSync('/bin/sleep', path);
    const child = spawn(path, ['60']);
    onTestFinished(() => void child.kill('SIGKILL'));
    await expect.poll(() => readProcess(child.pid!)?.state).toBe('S');
    expect(readProcess(child.pid!)!.parent).toBe(process.pid);
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31])('gives no sample for %d', (pid) => {
    expect(readProcess(pid)).toBeUndefined();
  });
});
