import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PlaylistWatch } from '../../../src/collect/probes/playlist_watch.ts';
import type { PlaylistSample } from '../../../src/core/sample.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { aDirectory } from '../support/tailing.ts';

/** Writes as encoders do: beside it, and then in its place. */
function replace(path: string, text = '#EXTM3U'): void {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

function watching(paths: Readonly<Record<string, string>>, clock: Clock = systemClock) {
  const heard: string[] = [];
  const reports: string[] = [];
  const watch = new PlaylistWatch({
    playlists: Object.entries(paths).map(([channel, path]) => ({ channel, path })),
    clock,
    onChange: (channel) => heard.push(channel),
    report: (channel, because) => reports.push(`${channel}: ${because}`),
  });
  onTestFinished(() => watch[Symbol.dispose]());
  watch.start();
  heard.length = 0;
  return { watch, heard, reports };
}

const looked = (revision: string, monoMs = systemClock.monotonicMs()): PlaylistSample => ({
  ...{ kind: 'playlist', channel: 'news', source: 'file', at: 0, monoMs, ok: true, revision },
});

/** Whatever was under way has been notified by then: a change of a file that is written after it was. */
async function settled(folder: string): Promise<void> {
  const last = watching({ last: join(folder, 'last') });
  replace(join(folder, 'last'));
  await expect.poll(() => last.heard).not.toEqual([]);
}

describe('a watched playlist', () => {
  it('notifies each time that it is replaced, and not when its segments or a neighbour are', async () => {
    const folder = aDirectory();
    const [news, sport] = [join(folder, 'news.m3u8'), join(folder, 'sport.m3u8')];
    const { watch, heard } = watching({ news, sport });
    replace(join(folder, 'news7.ts'));
    replace(news);
    await settled(folder);
    expect(new Set(heard)).toEqual(new Set(['news']));
    const firstMs = watch.heardMs('news') ?? Number.NaN;
    heard.length = 0;
    writeFileSync(join(folder, 'news8.ts'), 'x');
    rmSync(join(folder, 'news7.ts'));
    await settled(folder);
    expect(heard).toEqual([]);
    replace(news);
    await expect.poll(() => heard).toContain('news');
    expect(watch.heardMs('news')).toBeGreaterThanOrEqual(firstMs);
  });

  it('notifies when it is written in place, and when it is removed', async () => {
    const path = join(aDirectory(), 'live.m3u8');
    writeFileSync(path, '#EXTM3U');
    const { heard } = watching({ news: path });
    writeFileSync(path, '#EXTM3U\n');
    await expect.poll(() => heard).toContain('news');
    await settled(join(path, '..'));
    heard.length = 0;
    rmSync(path);
    await expect.poll(() => heard).toContain('news');
  });

  it('notifies again after its folder was removed and made anew', async () => {
    const folder = join(aDirectory(), 'news');
    mkdirSync(folder);
    const path = join(folder, 'live.m3u8');
    const { watch, heard } = watching({ news: path });
    replace(path);
    await expect.poll(() => watch.heardMs('news')).toBeDefined();
    rmSync(folder, { recursive: true });
    // Until the folder is there and watched again, that nothing is heard says nothing.
    await expect.poll(() => watch.heardMs('news')).toBeUndefined();
    mkdirSync(folder);
    heard.length = 0;
    await expect.poll(() => heard).toContain('news');
    heard.length = 0;
    replace(path);
    await expect.poll(() => heard).toContain('news');
  });

  it('notifies again after its folder was replaced between two looks at it', async () => {
    const folder = join(aDirectory(), 'news');
    mkdirSync(folder);
    const path = join(folder, 'live.m3u8');
    const { clock, advance } = fakeClock();
    const { heard } = watching({ news: path }, clock);
    // The file system gives the new folder the number of the old one.
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await advance(2_000);
    heard.length = 0;
    replace(path);
    await expect.poll(() => heard).toContain('news');
  });

  it('is as one that is not watched where its folder is not there or on a disk that notifies of nothing', () => {
    const { watch, reports } = watching({ news: join(aDirectory(), 'none', 'live.m3u8'), proc: '/proc/self/live' });
    expect([watch.heardMs('news'), watch.heardMs('proc'), watch.heardMs('other')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(reports).toEqual([]);
  });

  it('in a folder beyond the 64th is as one that is not watched', async () => {
    const root = aDirectory();
    const names = Array.from({ length: 65 }, (_, at) => `f${at}`);
    for (const name of names) mkdirSync(join(root, name));
    const paths = names.map((name) => [name, join(root, name, 'live.m3u8')] as const);
    const { watch, heard } = watching({ ...Object.fromEntries(paths), again: join(root, 'f0', 'second.m3u8') });
    for (const [, path] of paths) replace(path);
    replace(join(root, 'f0', 'second.m3u8'));
    await expect.poll(() => new Set(heard).size).toBe(65);
    expect(watch.heardMs('f63')).toBeDefined();
    expect(watch.heardMs('again')).toBeDefined();
    expect(watch.heardMs('f64')).toBeUndefined();
  });

  it('that changed without a notification is not relied on until it notifies again', async () => {
    const root = aDirectory();
    mkdirSync(join(root, 'elsewhere'));
    const path = join(root, 'live.m3u8');
    symlinkSync(join(root, 'elsewhere', 'live.m3u8'), path);
    const { watch } = watching({ news: path });
    watch.looked(looked('a'));
    expect(watch.heardMs('news')).toBeDefined();
    watch.looked(looked('a', systemClock.monotonicMs() + 1));
    expect(watch.heardMs('news')).toBeDefined();
    // What the link leads to is in a folder that is not watched.
    writeFileSync(join(root, 'elsewhere', 'live.m3u8'), '#EXTM3U');
    watch.looked(looked('b', systemClock.monotonicMs() + 2));
    expect(watch.heardMs('news')).toBeUndefined();
    replace(path);
    await expect.poll(() => watch.heardMs('news')).toBeDefined();
  });

  it('of a real encoder notifies at each segment', async () => {
    const path = join(aDirectory(), 'live.m3u8');
    const { watch, heard } = watching({ news: path });
    const made = ['-re', '-f', 'lavfi', '-i', 'testsrc=size=64x64:rate=10', '-g', '10'];
    const encoder = spawn('ffmpeg', [...made, '-f', 'hls', '-hls_time', '1', '-hls_flags', 'delete_segments', path], {
      stdio: 'ignore',
    });
    onTestFinished(() => void encoder.kill('SIGKILL'));
    await expect.poll(() => heard.length).toBeGreaterThanOrEqual(3);
    encoder.kill('SIGSTOP');
    await settled(join(path, '..'));
    const stoppedMs = watch.heardMs('news') ?? Number.NaN;
    heard.length = 0;
    await settled(join(path, '..'));
    expect(heard).toEqual([]);
    expect(watch.heardMs('news')).toBe(stoppedMs);
    encoder.kill('SIGCONT');
    await expect.poll(() => heard).not.toEqual([]);
  });
});
