import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPlaylistFileProbe } from '../../../src/collect/probes/playlist_file.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { ReeveError } from '../../../src/core/errors.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { aDirectory } from '../support/tailing.ts';

const forever = new AbortController().signal;

const listOf = (first: number, name = (at: number) => `seg${at}.ts`): string =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:${first}\n` +
  [0, 1, 2].map((at) => `#EXTINF:2.0,\n${name(first + at)}\n`).join('');

/** Writes as encoders do: beside it, and then in its place. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

function aPlaylist(clock: Clock = systemClock) {
  const path = join(aDirectory(), 'index.m3u8');
  const probe = createPlaylistFileProbe({ path, clock });
  return { path, folder: join(path, '..'), look: () => probe(forever) };
}

describe('a look at a playlist on this machine', () => {
  it('sees it replaced, how old it is and how long its newest segment is', async () => {
    const { path, folder, look } = aPlaylist();
    replace(path, listOf(1));
    writeFileSync(join(folder, 'seg3.ts'), 'x'.repeat(47));
    const first = await look();
    expect(first).toMatchObject({ ok: true, mediaSequence: 1, targetDurationMs: 2_000, ended: false });
    expect(first.newestSegmentBytes).toBe(47);
    expect(first.ageMs).toBeLessThan(60_000);
    expect((await look()).revision).toBe(first.revision);
    replace(path, listOf(2));
    const second = await look();
    expect(second).toMatchObject({ ok: true, mediaSequence: 2 });
    expect(second.revision).not.toBe(first.revision);
    // The one before it is there.
    expect(second.newestSegmentBytes).toBeUndefined();
    expect([first.newestSegmentMissing, second.newestSegmentMissing]).toEqual([undefined, undefined]);
    replace(path, listOf(5));
    expect(await look()).toMatchObject({ ok: true, newestSegmentMissing: true });
    replace(path, '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:9\n');
    expect(await look()).toMatchObject({ ok: true, newestSegmentMissing: true });
  });

  it('follows a master playlist into its folder, and neither it nor a segment out of it', async () => {
    const { path, folder, look } = aPlaylist();
    mkdirSync(join(folder, 'hd'));
    writeFileSync(join(folder, 'hd', 'media.m3u8'), listOf(7));
    const masterOf = (variant: string): string => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${variant}\n`;
    replace(path, masterOf('hd/media.m3u8'));
    expect(await look()).toMatchObject({ ok: true, mediaSequence: 7 });
    const outside = aPlaylist();
    writeFileSync(join(outside.folder, 'other.m3u8'), listOf(1));
    for (const variant of [join(folder, 'hd/media.m3u8'), '../x.m3u8', 'http://127.0.0.1/x.m3u8']) {
      replace(outside.path, masterOf(variant));
      expect(await outside.look()).toEqual({ ok: false, failure: 'invalid_answer' });
    }
    replace(
      outside.path,
      listOf(1, () => path),
    );
    const { newestSegmentBytes, newestSegmentMissing } = await outside.look();
    expect([newestSegmentBytes, newestSegmentMissing]).toEqual([undefined, undefined]);
  });

  it('goes back to the master playlist when the variant stands: it may name another by now', async () => {
    const { clock, advance } = fakeClock();
    const { path, folder, look } = aPlaylist(clock);
    const masterOf = (variant: string): string => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${variant}\n`;
    replace(join(folder, 'old.m3u8'), listOf(100));
    replace(path, masterOf('old.m3u8'));
    expect(await look()).toMatchObject({ ok: true, mediaSequence: 100 });
    replace(path, masterOf('new.m3u8'));
    const looks = [];
    for (let first = 1; first <= 4; first += 1) {
      await advance(2_000);
      replace(join(folder, 'new.m3u8'), listOf(first));
      looks.push((await look()).mediaSequence);
    }
    expect(looks).toEqual([100, 100, 3, 4]);
  });

  it('distinguishes a playlist that is missing from a folder that is, and from what is no playlist', async () => {
    const { path, folder, look } = aPlaylist();
    expect(await look()).toEqual({ ok: false, failure: 'http_status', status: 404 });
    writeFileSync(path, '<html>');
    expect(await look()).toEqual({ ok: false, failure: 'invalid_answer' });
    writeFileSync(path, `#EXTM3U\n${'#'.repeat(1_048_576)}`);
    expect(await look()).toEqual({ ok: false, failure: 'invalid_answer' });
    rmSync(folder, { recursive: true });
    expect(await look()).toEqual({ ok: false, failure: 'unreachable' });
  });

  it('does not wait for a pipe: nothing else that reads a file would have its turn', async () => {
    const { path, look } = aPlaylist();
    execFileSync('mkfifo', [path]);
    // A reader that waits in the kernel cannot be called off, so the test lets it go at its end.
    onTestFinished(() => closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK)));
    const looks = Array.from({ length: 8 }, () => Promise.race([look(), wait(500)]));
    expect(await Promise.all(looks)).toEqual(Array(8).fill({ ok: false, failure: 'invalid_answer' }));
    expect(await Promise.race([stat('/').then(() => 'read'), wait(500)])).toBe('read');
  });

  it('ends with the signal', async () => {
    const probe = createPlaylistFileProbe({ path: '/nowhere/index.m3u8', clock: systemClock });
    expect((await probe(AbortSignal.abort(new Error('late')))).ok).toBe(false);
  });

  it.skipIf(!existsSync('/usr/bin/ffmpeg'))(
    'of a real ffmpeg is seen to go on, and to have empty segments (needs ffmpeg)',
    { timeout: 60_000 },
    async () => {
      const { path, folder, look } = aPlaylist();
      const input = ['-nostdin', '-v', 'error', '-re', '-f', 'lavfi', '-i', 'testsrc=s=64x48:r=10'];
      const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '5', '-threads', '1'];
      const output = ['-f', 'hls', '-hls_time', '1', '-hls_list_size', '4', path];
      const ffmpeg = spawn('ffmpeg', [...input, ...encoder, ...output], { stdio: 'ignore' });
      onTestFinished(() => void ffmpeg.kill('SIGKILL'));
      await expect.poll(async () => (await look()).ok, { timeout: 30_000 }).toBe(true);
      const first = await look();
      await expect.poll(async () => (await look()).revision, { timeout: 30_000 }).not.toBe(first.revision);
      expect((await look()).newestSegmentBytes).toBeGreaterThan(188);
      ffmpeg.kill('SIGSTOP');
      const { mediaSequence = 0 } = await look();
      for (let at = mediaSequence; existsSync(join(folder, `index${at}.ts`)); at += 1) {
        truncateSync(join(folder, `index${at}.ts`), 0);
      }
      expect((await look()).newestSegmentBytes).toBe(0);
    },
  );
});

describe('a look at a playlist whose file system owes an answer', () => {
  /** It is asked, and answers when the test says so. */
  function owing() {
    let isClear = false;
    const asking = new Set<() => void>();
    const path = join(aDirectory(), 'index.m3u8');
    replace(path, listOf(1));
    const check = { isClear: () => isClear, ask: (then: () => void) => void asking.add(then), silent: () => undefined };
    const probe = createPlaylistFileProbe({ path, clock: systemClock, check });
    const answer = (): void => {
      isClear = true;
      for (const then of asking) then();
      asking.clear();
    };
    return { probe, asking, answer };
  }

  it('waits for the answer, and no longer than a look may take', async () => {
    const { probe } = owing();
    const late = AbortSignal.abort(new ReeveError('TIMED_OUT', 'late'));
    expect(await probe(late)).toEqual({ ok: false, failure: 'timeout' });
  });

  it('goes on with the answer', async () => {
    const { probe, answer } = owing();
    const looking = probe(AbortSignal.timeout(30_000));
    answer();
    expect(await looking).toMatchObject({ ok: true, mediaSequence: 1 });
  });

  it('leaves one question behind, however many looks were in vain', async () => {
    const { probe, asking, answer } = owing();
    for (const ms of [1, 2, 3, 4, 5]) await probe(AbortSignal.timeout(ms));
    expect(asking.size).toBe(1);
    answer();
    expect(await probe(forever)).toMatchObject({ ok: true });
  });
});
