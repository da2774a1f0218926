import { spawn } from 'node:child_process';
import { closeSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cpuPressureIn, createHostProbe, oomKillsIn } from '../../../src/collect/probes/host.ts';
import { readProcess } from '../../../src/collect/probes/process.ts';
import { aDirectory } from '../support/tailing.ts';

const forever = new AbortController().signal;

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

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31])('has nothing to say of %d', (pid) => {
    expect(readProcess(pid)).toBeUndefined();
  });
});

describe('a look at the host', () => {
  it('reports how full a disk is, as df counts, and nothing for paths that do not exist', async () => {
    const { disks } = await createHostProbe(['/tmp', '/no/such/place'])(forever);
    expect(disks[0]!.usedRatio).toBeGreaterThan(0);
    expect(disks[0]!.usedRatio).toBeLessThanOrEqual(1);
    expect(disks[1]).toEqual({ path: '/no/such/place', usedRatio: undefined });
  });

  it('does not wait past its signal', async () => {
    const { disks } = await createHostProbe(['/tmp'])(AbortSignal.abort());
    expect(disks).toHaveLength(1);
  });

  it('reads the kernel’s own counts, and says nothing where there are none', () => {
    expect(oomKillsIn('pgfault 1\noom_kill 3\nx 2\n')).toBe(3);
    expect(oomKillsIn('')).toBeUndefined();
    expect(cpuPressureIn('some avg10=12.50 avg60=1.00 avg300=0.00 total=1\n')).toBe(0.125);
    expect(cpuPressureIn('')).toBeUndefined();
  });
});
