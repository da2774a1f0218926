import { expect, it, vi } from 'vitest';
import { createHostProbe } from '../../../src/collect/probes/host.ts';
import { createPlaylistFileProbe } from '../../../src/collect/probes/playlist_file.ts';
import { systemClock } from '../../../src/core/clock.ts';

const asked = vi.hoisted((): string[] => []);
/** A disk whose server is gone: each question about it waits in the kernel, and holds a thread that others need. */
vi.mock('node:fs/promises', async (original) => {
  const hangs = (path: string): Promise<never> => {
    asked.push(path);
    return new Promise(() => undefined);
  };
  return { ...(await original<object>()), stat: hangs, statfs: hangs };
});

it('of a playlist on a disk that does not answer one question waits, however often it is looked at', async () => {
  const look = createPlaylistFileProbe({ path: '/gone/index.m3u8', clock: systemClock });
  for (let looks = 0; looks < 3; looks += 1) {
    expect(await look(AbortSignal.timeout(20))).toMatchObject({ ok: false });
  }
  expect(asked.splice(0)).toEqual(['/gone/index.m3u8']);
});

it('of a disk that does not answer one question waits, however many engines are on it', async () => {
  const questions = new Map();
  const looks = [1, 2, 3].map(() => createHostProbe(['/gone'], questions));
  for (const look of [...looks, ...looks]) {
    expect((await look(AbortSignal.timeout(20))).disks).toEqual([{ path: '/gone', usedRatio: undefined }]);
  }
  expect(asked.splice(0)).toEqual(['/gone']);
});
