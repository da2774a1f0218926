import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDisk } from '../../demo/disk.ts';
import { LOOPBACK } from '../../demo/ports.ts';
import { findProgram } from '../../demo/process.ts';
import { openStage, type Stage } from '../../demo/stage.ts';

const canPlay = Boolean(findProgram('ffmpeg') && findProgram('supervisord'));
const WITHIN = { timeout: 30_000, interval: 500 };

describe.skipIf(!canPlay)('the stage (needs ffmpeg and supervisor)', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ generated: 3, pulled: 2, autorestart: ['gen3'] });
  }, 90_000);
  afterAll(() => stage?.[Symbol.asyncDispose](), 60_000);

  const truthOf = async (id: string) => (await stage.status()).find(({ channel }) => channel === id)!;
  const playing = async (id: string) => (await truthOf(id)).playing;

  it('has every channel playing, over HTTP too', async () => {
    expect((await stage.status()).filter(({ playing }) => !playing)).toEqual([]);
    const playlist = await fetch(`${stage.urls.hls}/gen1/index.m3u8`);
    expect(await playlist.text()).toContain('#EXTM3U');
  });

  it('kills, freezes and starves of upstream for real, and attributes starts to their channels', async () => {
    const mark = await stage.mark();
    await stage.faults.killed('gen1');
    await stage.faults.frozen('gen2');
    await stage.faults.crashed('gen3');
    await stage.faults.storm();
    await expect.poll(() => playing('gen1'), WITHIN).toBe(false);
    await expect.poll(() => playing('gen2'), WITHIN).toBe(false);
    await expect.poll(() => playing('pull1'), WITHIN).toBe(false);
    await expect.poll(() => playing('gen3'), WITHIN).toBe(true);
    expect(await truthOf('gen1')).toMatchObject({ state: 'EXITED' });
    expect(await truthOf('gen2')).toMatchObject({ state: 'RUNNING' });
    expect(await stage.startsSince(mark, 'gen1')).toBe(0);
    expect(await stage.startsSince(mark, 'gen3')).toBe(1);
  }, 90_000);

  it('lifts the causes without starting anything, and clears the rest', async () => {
    const mark = await stage.mark();
    await stage.faults.lift();
    await expect.poll(() => playing('gen2'), WITHIN).toBe(true);
    expect(await playing('gen1')).toBe(false);
    expect(await stage.startsSince(mark, 'gen1')).toBe(0);
    await stage.faults.clear();
    expect((await stage.status()).filter(({ playing }) => !playing)).toEqual([]);
  }, 90_000);

  it('writes down what is asked of the supervisor through the address that Reeve gets', async () => {
    expect(stage.asked).toEqual([]);
    const url = /url: (\S+RPC2)/.exec(stage.configYaml())![1]!;
    const body = `<methodCall><methodName>supervisor.startProcess</methodName>
      <params><param><value><string>gen1</string></value></param></params></methodCall>`;
    const headers = { authorization: `Basic ${btoa('stage:stage-secret')}`, 'content-type': 'text/xml' };
    const answer = await (await fetch(url, { method: 'POST', headers, body })).text();
    expect(answer).toContain('ALREADY_STARTED');
    expect(stage.asked).toMatchObject([{ method: 'startProcess', channel: 'gen1' }]);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'fills its own small disk and no other (needs root)',
    async ({ skip }) => {
      const reason = stage.faults.unavailable('diskFull');
      if (reason) skip(reason);
      await stage.faults.diskFull();
      await expect.poll(() => playing('gen1'), WITHIN).toBe(false);
      // What was being written is cut short. After it come an empty segment, or a playlist that is itself empty: the
      // process knows nothing of it.
      const seen = async () => {
        const { state, newestSegmentBytes = 0 } = await truthOf('gen1');
        return { state, newestSegmentBytes };
      };
      await expect.poll(seen, WITHIN).toEqual({ state: 'RUNNING', newestSegmentBytes: 0 });
      await stage.faults.clear();
      expect(await playing('gen1')).toBe(true);
    },
    90_000,
  );

  it('leaves no process and no mount behind', async () => {
    expect(stage.leftovers().pids.length).toBeGreaterThan(4);
    await stage[Symbol.asyncDispose]();
    expect(stage.leftovers()).toEqual({ pids: [], mounts: [] });
  }, 60_000);
});

describe.skipIf(!canPlay)('a stage that cannot be built (needs ffmpeg and supervisor)', () => {
  it('takes down what it had built and says why', async () => {
    await expect(openStage({ generated: 1, pulled: 0, dir: '/proc/nowhere' })).rejects.toThrow(/ENOENT|EACCES/);
  });
});

describe('the folder of a stage', () => {
  it('takes away what a killed one left, and leaves alone what belongs to a live one', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'reeve-parent-'));
    const dead = join(parent, 'reeve-stage-4194305-abc123/hls');
    const live = join(parent, `reeve-stage-${process.pid}-abc123`);
    await mkdir(dead, { recursive: true });
    await mkdir(live);
    {
      await using disk = await openDisk(parent);
      expect(basename(disk.paths.dir)).toMatch(`reeve-stage-${process.pid}-`);
      expect((await readdir(parent)).sort()).toEqual([basename(live), basename(disk.paths.dir)].sort());
    }
    expect(await readdir(parent)).toEqual([basename(live)]);
    await rm(parent, { recursive: true });
  });
});

describe('a port of the stage', () => {
  it('is not one that is taken', async () => {
    const { freePorts } = await import('../../demo/ports.ts');
    const [port] = await freePorts(1);
    const server = createServer().listen(port, LOOPBACK);
    await once(server, 'listening');
    expect(new Set(await freePorts(20)).size).toBe(20);
    expect(await freePorts(20)).not.toContain(port);
    server.close();
  });
});
