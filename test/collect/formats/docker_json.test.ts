import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dockerJson } from '../../../src/collect/formats/docker_json.ts';
import { createTail } from '../../../src/collect/tail/tail.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { memoryCheckpoints } from '../../../src/journal/checkpoints.ts';
import { aDockerd, canDocker } from '../support/docker.ts';
import { countChunk } from '../support/tailing.ts';

/** Follows a container's log as a channel's log of `format: docker_json` is. */
function follow(path: string) {
  const lines: string[] = [];
  const sink = dockerJson((chunk) => {
    const { count, records } = countChunk(chunk);
    lines.push(...records.map((record) => record.replace(/\n$/, '')));
    return count;
  });
  const sources = [{ id: 'news', path, channel: 'news' }];
  const tail = createTail({ sources, clock: systemClock, checkpoints: memoryCheckpoints(), sink });
  onTestFinished(() => tail[Symbol.asyncDispose]());
  tail.start();
  return { tail, lines };
}

const within = { timeout: 30_000, interval: 50 };

describe.skipIf(!canDocker)("a real Docker's log of a container (needs root and dockerd)", () => {
  it('is read as the container wrote it, over rotations, each line once; a line of 40 KB stays one', async ({
    skip,
  }) => {
    const dockerd = await aDockerd(skip);
    const rotating = dockerd.cat('--log-opt=max-size=4k', '--log-opt=max-file=3');
    const { tail, lines } = follow(rotating.log);
    const expected: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      const more = Array.from({ length: 10 }, (_, at) => `line ${round * 10 + at} of a container ${'.'.repeat(40)}`);
      expected.push(...more);
      rotating.write(`${more.join('\n')}\n`);
      await vi.waitFor(() => expect(lines).toEqual(expected), within);
    }
    rotating.end();
    expect(rotating.files().length).toBe(3);
    expect(tail.stats()).toMatchObject([{ lines: expected.length, gaps: 0 }]);

    const plain = dockerd.cat();
    const second = follow(plain.log);
    const long = `long ${'x'.repeat(40_000)}`;
    plain.write(`before\n${long}\nafter\n`);
    plain.end();
    await vi.waitFor(() => expect(second.lines.at(-1)).toBe('after'), within);
    expect(existsSync(plain.log)).toBe(true);
    expect(second.lines.map((line) => line.slice(0, 10))).toEqual(['before', 'long xxxxx', 'after']);
    expect(second.lines[1]).toBe(long);
  });
});

it('a line of many pieces stays one, however many writers have ended in the middle of one before', () => {
  const taken: (readonly [path: string | undefined, texts: readonly string[]])[] = [];
  const sink = dockerJson((chunk) => {
    const { count, records } = countChunk(chunk);
    taken.push([chunk.path, records.map((record) => record.trimEnd())]);
    return count;
  });
  const write = (path: string, log: string) => {
    const bytes = Buffer.from(`${JSON.stringify({ log, stream: 'stderr' })}\n`);
    return sink({
      ...{ source: 'all', path, channel: undefined, bytes, start: 0, end: bytes.length },
      ...{ backlog: false, at: 1, monoMs: 1 },
    });
  };
  const piece = 'x'.repeat(16_384);
  for (let at = 0; at < 64; at += 1) write(`/gone/${at}`, `${piece}${at}`);
  write('/new', piece);
  expect(taken).toEqual([['/gone/0', [`${piece}0`]]]);
  expect(write('/new', 'Connection refused\n')).toMatchObject({ lines: 1 });
  expect(taken.at(-1)).toEqual(['/new', [`${piece}Connection refused`]]);
});
