import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, Rig, until } from '../support/rig.ts';

const directory = mkdtempSync(join(tmpdir(), 'reeve-mount-'));
/** What is behind the file system, and reached without it. */
const behind = join(directory, 'behind');
const point = join(directory, 'point');
const can =
  process.getuid?.() === 0 &&
  existsSync('/dev/fuse') &&
  spawnSync('bindfs', ['--version'], { stdio: 'ignore' }).status === 0;

/** Each log line is a mark of its own, so that a count of lines shows which were read. */
const linesOf = async (daemon: Daemon, source: string): Promise<number> => {
  const text = await (await fetch(`${daemon.url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`reeve_lines_total{source="${source}"`));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
};

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.skipIf(!can)('a file system that stops answering under a followed log (needs root, FUSE and bindfs)', () => {
  let server: ChildProcess;
  let rig: Rig;
  let daemon: Daemon;
  const log = (text: string): void => appendFileSync(join(behind, 'sport.log'), `${text}\n`);
  const reads = (count: number) =>
    until(`${count} lines were read`, async () => (await linesOf(daemon, 'sport')) === count);

  beforeAll(async () => {
    for (const each of [behind, point]) mkdirSync(each);
    writeFileSync(join(behind, 'sport.log'), '');
    server = spawn('bindfs', ['-f', behind, point], { stdio: 'ignore' });
    await until('it is mounted', () => readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${point} `));
    rig = await Rig.open({ channels: ['news', 'sport', 'film'] });
    rmSync(rig.at('sport.log'));
    symlinkSync(join(point, 'sport.log'), rig.at('sport.log'));
    daemon = await rig.run();
  });

  afterAll(async () => {
    server.kill('SIGCONT');
    await rig[Symbol.asyncDispose]();
    spawnSync('umount', ['-l', point]);
    server.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  });

  it('is read as any other while it answers', async () => {
    log('one');
    log('two');
    await reads(2);
  });

  it('is said to be unreadable when it does not, while everything else goes on', async () => {
    server.kill('SIGSTOP');
    rig.die('news');
    await until('news plays again', () => rig.isPlaying('news'));
    await until('it is said', () => rig.log().includes(`the file system at ${point} does not answer`));
    expect((await fetch(`${daemon.url}/healthz`)).ok).toBe(true);
    expect(rig.invocations('news')).toBe(1);
  });

  it('is read on from where it was when it answers again', async () => {
    log('three');
    server.kill('SIGCONT');
    await until('it is said', () => rig.log().includes('its file system answers again'));
    await reads(3);
  });

  it('does not keep the daemon from ending', async () => {
    server.kill('SIGSTOP');
    await until('it is said', () => rig.log().split('does not answer').length > 2);
    expect(await daemon.kill('SIGTERM')).toBe(0);
  });

  it('does not keep a daemon from starting, which reads on where the other ended', async () => {
    daemon = await rig.run();
    log('four');
    rig.die('film');
    await until('film plays again', () => rig.isPlaying('film'));
    server.kill('SIGCONT');
    await reads(4);
    expect(await daemon.kill('SIGTERM')).toBe(0);
  });
});
