import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, Rig, until } from '../support/rig.ts';

const mountPoint = mkdtempSync(join(tmpdir(), 'reeve-tiny-'));

/** A disk of 2 MiB, where this machine lets us. */
function mounted(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=0700', 'tmpfs', mountPoint], { stdio: 'ignore' });
    return true;
  } catch {
    rmdirSync(mountPoint);
    return false;
  }
}

const can = mounted();
if (can) process.on('exit', unmount);
afterAll(unmount);

function unmount(): void {
  try {
    execFileSync('umount', ['-l', mountPoint], { stdio: 'ignore' });
    rmdirSync(mountPoint);
  } catch {
    // It is gone already.
  }
}

interface Status {
  readonly channels: readonly { readonly healthy: boolean | null }[];
}

describe.skipIf(!can)('a disk that is full under the journal (needs root, to mount a tmpfs)', () => {
  let rig: Rig;
  let daemon: Daemon;
  const filler = join(mountPoint, 'filler');
  const unrecorded = () => rig.delivered.filter(({ key }) => key.startsWith('unjournaled/unrecorded/'));
  beforeAll(async () => {
    rig = await Rig.open({ state: join(mountPoint, 'state') });
    daemon = await rig.run();
    await until('news plays', async () => (await daemon.get<Status>('/api/v1/status')).channels[0]?.healthy === true);
    fill(filler);
    rig.die('news');
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it('is paged, though the page cannot be written down, and once', async () => {
    await until('a page arrives', () => rig.delivered.length > 0);
    expect(rig.delivered).toMatchObject([
      { what: 'trigger', severity: 'critical', reason: 'journal_broken', key: 'unjournaled/reeve/internal/journal' },
    ]);
    expect(rig.delivered[0]?.details).toContain('df -h');
    expect(rig.delivered[0]?.details).toContain('no channel that fails from now on gets a page of its own');
  });

  it('means that nothing is restarted', async () => {
    await until('it is not ready', async () => (await fetch(`${daemon.url}/readyz`)).status === 503);
    expect(await (await fetch(`${daemon.url}/readyz`)).json()).toMatchObject({ ready: false });
    const whyNot = await daemon.get<{ verdict: string }>('/api/v1/why-not/news/restart_channel');
    expect(whyNot.verdict).toBe('deny');
    expect(rig.invocations('news')).toBe(0);
    expect(rig.isPlaying('news')).toBe(false);
  });

  it('is followed by a page that names who stays down, for it gets none of its own', async () => {
    await until('it is named', () => unrecorded().length > 0, 60_000);
    expect(unrecorded()).toMatchObject([
      { what: 'trigger', severity: 'critical', reason: 'journal_broken', summary: expect.stringContaining('news (') },
    ]);
  });

  it('still lets status be asked, and lets the daemon end in order', async () => {
    expect((await rig.reeve('status', '--json')).code).toBe(0);
    expect(await daemon.kill('SIGTERM')).toBe(0);
  });

  it('leaves a whole journal, with which the next start watches again', async () => {
    rmSync(filler);
    daemon = await rig.run();
    expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200);
    expect((await rig.reeve('audit', 'verify')).code).toBe(0);
  });

  it('ends that page when the channel plays again, and not before', async () => {
    const story = () => unrecorded().map(({ what }) => what);
    expect(story()).toEqual(['trigger']);
    rig.play('news');
    await until('the page is ended', () => story().includes('resolve'), 90_000);
    expect(story()).toEqual(['trigger', 'resolve']);
  }, 120_000);

  it('ends the page that could not be written down, once, when the journal works again', async () => {
    const key = 'unjournaled/reeve/internal/journal';
    const story = () => rig.deliveredUnder(key).map(({ what }) => what);
    await until('the page is ended', () => story().includes('resolve'));
    expect(story()).toEqual(['trigger', 'resolve']);
    await daemon.kill('SIGTERM');
    daemon = await rig.run();
    expect(await daemon.kill('SIGTERM')).toBe(0);
    expect(story()).toEqual(['trigger', 'resolve']);
  });
});

describe.skipIf(!can)('a disk that is full for a while (needs root, to mount a tmpfs)', () => {
  it('stops restarts, and lets them go on by itself when it takes entries again', async () => {
    await using rig = await Rig.open({ state: join(mountPoint, 'again'), channels: ['news', 'sport'] });
    const daemon = await rig.run();
    const isWell = async () => (await daemon.get<Status>('/api/v1/status')).channels[1]?.healthy === true;
    await until('sport plays', isWell);
    const filler = join(mountPoint, 'filler');
    fill(filler);
    rig.die('news');
    const key = 'unjournaled/reeve/internal/journal';
    const story = () => rig.deliveredUnder(key).map(({ what }) => what);
    await until('a person is paged', () => story().includes('trigger'));
    expect(rig.invocations('news')).toBe(0);

    rmSync(filler);
    await until('the page is ended', () => story().includes('resolve'), 90_000);
    await until('news, which was seen to die meanwhile, is restarted', () => rig.isPlaying('news'));
    expect(rig.invocations('news')).toBe(1);
    await until('sport is watched again', isWell);
    rig.die('sport');
    await until('sport is restarted', () => rig.isPlaying('sport'));
    expect(rig.invocations('sport')).toBe(1);
    expect(daemon.isRunning).toBe(true);
    expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200);
    expect((await rig.reeve('audit', 'verify')).code).toBe(0);
    expect(await daemon.kill('SIGTERM')).toBe(0);
  }, 300_000);
});

/** Writes until nothing more fits. */
function fill(path: string): void {
  for (let bytes = 1 << 16, size = 0; bytes >= 1; ) {
    try {
      writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' });
      size += bytes;
      if (size > 1 << 26) throw new Error('the disk has no end');
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
      bytes >>= 4;
    }
  }
}
