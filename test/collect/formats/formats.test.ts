import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dockerJson } from '../../../src/collect/formats/docker_json.ts';
import { ffmpegProgress } from '../../../src/collect/formats/ffmpeg_progress.ts';
import { createTail } from '../../../src/collect/tail/tail.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { Chunk } from '../../../src/core/chunk.ts';
import type { ProgressSample } from '../../../src/core/sample.ts';
import { memoryCheckpoints } from '../../../src/journal/checkpoints.ts';
import { aDirectory, countChunk } from '../support/tailing.ts';

const chunkOf = (text: string | Buffer, more: Partial<Chunk> = {}): Chunk => {
  const bytes = Buffer.from(text);
  return {
    source: 'news',
    channel: 'news',
    bytes,
    start: 0,
    end: bytes.length,
    backlog: false,
    at: 1,
    monoMs: 2,
    ...more,
  };
};

describe("Docker's JSON logs", () => {
  const record = (log: string) => `${JSON.stringify({ log, stream: 'stderr', time: '2026-01-01T00:00:00.0Z' })}\n`;
  const read = (text: string) => {
    const records: string[] = [];
    const count = dockerJson((chunk) => {
      const seen = countChunk(chunk);
      records.push(...seen.records);
      return seen.count;
    })(chunkOf(text));
    return { records, count };
  };

  it('show what the container wrote; counted are the lines of the file', () => {
    const { records, count } = read(record('one ERR\n') + record('two "quoted"\n') + record('frame= 1\rframe= 2\r'));
    expect(records).toEqual(['one ERR\n', 'two "quoted"\n', 'frame= 1\r', 'frame= 2\r']);
    expect(count).toEqual({ lines: 3, matched: 1, unmatched: 2, progress: 2 });
  });

  const piece = 'a'.repeat(16_384);

  it('join the pieces of a long line', () => {
    const { records, count } = read(record(piece) + record('b ERR\n') + record('c\n'));
    expect(records).toEqual([`${piece}b ERR\n`, 'c\n']);
    expect(count).toEqual({ lines: 3, matched: 1, unmatched: 2, progress: 0 });
  });

  it('join them where the file grew in between, each stream and each file for itself', () => {
    const records: string[] = [];
    const sink = dockerJson((chunk) => {
      const seen = countChunk(chunk);
      records.push(...seen.records);
      return seen.count;
    });
    const of = (stream: string, log: string) => chunkOf(`${JSON.stringify({ log, stream })}\n`);
    expect(sink(of('stderr', piece))).toEqual({ lines: 1, matched: 0, unmatched: 1, progress: 0 });
    sink(of('stdout', 'other\n'));
    sink({ ...of('stderr', 'another file\n'), source: 'sport' });
    expect(sink(of('stderr', 'b ERR\n'))).toEqual({ lines: 1, matched: 1, unmatched: 0, progress: 0 });
    expect(records).toEqual(['other\n', 'another file\n', `${piece}b ERR\n`]);
  });

  it('wait for the ends of 64 lines at once, and hand on the one in parts that was silent for longest', () => {
    const seen: string[] = [];
    const sink = dockerJson((chunk) => {
      const { count, records: more } = countChunk(chunk);
      seen.push(...more);
      return count;
    });
    for (let at = 0; at < 64; at += 1) sink(chunkOf(record(piece), { path: `/${at}` }));
    expect(seen).toEqual([]);
    sink(chunkOf(record(piece), { path: '/64' }));
    expect(seen).toEqual([`${piece}\n`]);
    for (const path of ['/1', '/64']) {
      sink(chunkOf(record('end\n'), { path }));
      expect(seen.at(-1)).toBe(`${piece}end\n`);
    }
    sink(chunkOf(record('end\n'), { path: '/0' }));
    expect(seen.at(-1)).toBe('end\n');
  });

  it('join them for each container of a source with many, also over a rotation', async () => {
    const folder = aDirectory();
    const log = (name: string) => join(folder, `${name}-json.log`);
    for (const name of ['a', 'b']) writeFileSync(log(name), '');
    const seen: string[] = [];
    const tail = createTail({
      sources: [{ id: 'containers', path: join(folder, '*-json.log'), channel: undefined }],
      clock: systemClock,
      checkpoints: memoryCheckpoints(),
      sink: dockerJson((chunk) => {
        const { count, records } = countChunk(chunk);
        seen.push(...records);
        return count;
      }),
    });
    tail.start();
    const write = async (name: string, text: string) => {
      appendFileSync(log(name), record(text));
      await tail.drainNow();
    };
    await write('a', piece);
    await write('b', 'of b\n');
    renameSync(log('a'), `${log('a')}.1`);
    writeFileSync(log('a'), '');
    await write('a', 'end of a\n');
    await tail[Symbol.asyncDispose]();
    expect(seen).toEqual(['of b\n', `${piece}end of a\n`]);
  });

  it('take the final output of a container for a line, though it has no end', () => {
    expect(read(record('killed')).records).toEqual(['killed\n']);
    expect(read(record('killed') + record('started again\n')).records).toEqual(['killed\n', 'started again\n']);
    expect(read(record(piece.slice(1))).records).toEqual([`${piece.slice(1)}\n`]);
  });

  it('hand on in parts what has no end for 256 KiB', () => {
    expect(read(record(piece).repeat(16)).records).toEqual([]);
    expect(read(record(piece).repeat(17)).records).toEqual([`${piece.repeat(17)}\n`]);
  });

  it('a line that is none of that goes on as it stands', () => {
    expect(read(`{"log":"cut of\nplain ERR\n{"log":1}\n`).records).toEqual([
      '{"log":"cut of\n',
      'plain ERR\n',
      '{"log":1}\n',
    ]);
  });

  it('law: lines are the lines of the file, and each is matched or not', () => {
    const log = fc.string({ unit: fc.constantFrom('a', 'ERR', '\n', '\r', '"') });
    fc.assert(
      fc.property(fc.array(fc.oneof(log.map(record), fc.constant('junk ERR\n'))), (lines) => {
        const { count } = read(lines.join(''));
        expect(count.lines).toBe(lines.length);
        expect(count.matched + count.unmatched).toBe(count.lines);
      }),
    );
  });
});

describe('what ffmpeg -progress writes', () => {
  const report = (ms: number, frame: number, end = 'continue') =>
    `frame=${frame}\nfps=25.0\nbitrate= 100kbits/s\nout_time_us=${ms * 1_000}\nout_time=00:00:0${ms / 1_000}.000000\nspeed=1x\nprogress=${end}\n`;
  const reader = () => {
    const samples: ProgressSample[] = [];
    return { samples, sink: ffmpegProgress((sample) => samples.push(sample)) };
  };

  it('gives the newest whole report of each chunk, however the file is cut', () => {
    const { samples, sink } = reader();
    const text = report(1_000, 25) + report(2_000, 50) + report(3_000, 75);
    const cut = text.indexOf('frame=75') + 20;
    const at = text.lastIndexOf('\n', cut) + 1;
    expect(sink(chunkOf(text.slice(0, at)))).toEqual({ lines: 16, matched: 0, unmatched: 16, progress: 0 });
    sink(chunkOf(text.slice(at)));
    expect(samples.map(({ outTimeMs, frame, channel }) => [outTimeMs, frame, channel])).toEqual([
      [2_000, 50, 'news'],
      [3_000, 75, 'news'],
    ]);
  });

  it('returns nothing for a position that is unknown, in the past, or of no channel', () => {
    const { samples, sink } = reader();
    sink(chunkOf('frame=0\nout_time=N/A\nspeed=N/A\nprogress=continue\n'));
    sink(chunkOf(report(1_000, 1), { backlog: true }));
    sink(chunkOf(report(1_000, 1), { channel: undefined }));
    expect(samples).toEqual([]);
  });

  it.skipIf(spawnSync('which', ['ffmpeg']).status !== 0)(
    'is read from a real ffmpeg (skipped without ffmpeg)',
    async () => {
      const file = join(aDirectory(), 'progress');
      writeFileSync(file, '');
      const { samples, sink } = reader();
      const tail = createTail({
        ...{
          sources: [{ id: 'news', path: file, channel: 'news' }],
          clock: systemClock,
          checkpoints: memoryCheckpoints(),
          sink,
        },
      });
      tail.start();
      const input = ['-re', '-f', 'lavfi', '-i', 'anullsrc=r=8000', '-t', '1.5'];
      const args = ['-loglevel', 'error', ...input, '-progress', file, '-stats_period', '0.2', '-f', 'null', '-'];
      await once(spawn('ffmpeg', args, { stdio: 'ignore' }), 'exit');
      await tail.drainNow();
      await tail[Symbol.asyncDispose]();
      const positions = samples.map(({ outTimeMs }) => outTimeMs);
      expect(positions.length).toBeGreaterThan(2);
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
      expect(positions.at(-1)).toBeGreaterThanOrEqual(1_400);
    },
  );
});

describe('rotation by the real logrotate', () => {
  const rotate = async (how: string) => {
    const folder = aDirectory();
    const file = join(folder, 'a.log');
    writeFileSync(file, '');
    writeFileSync(join(folder, 'conf'), `${file} {\n  su root root\n  rotate 9\n  size 1\n  ${how}\n}\n`, {
      mode: 0o644,
    });
    const lines: string[] = [];
    const tail = createTail({
      ...{ sources: [{ id: 'a', path: file }], clock: systemClock, checkpoints: memoryCheckpoints() },
      sink: (chunk) => {
        const { count, records } = countChunk(chunk);
        lines.push(...records.map((text) => text.trim()));
        return count;
      },
    });
    tail.start();
    for (let round = 0; round < 4; round += 1) {
      for (let at = 0; at < 50; at += 1) appendFileSync(file, `${round * 50 + at}\n`);
      await tail.drainNow();
      const run = spawnSync('logrotate', ['--state', join(folder, 'state'), '--force', join(folder, 'conf')]);
      expect(run.status, run.stderr?.toString()).toBe(0);
      await tail.drainNow();
    }
    expect(readFileSync(file, 'utf8')).toBe('');
    const [stats] = tail.stats();
    await tail[Symbol.asyncDispose]();
    return { lines, stats };
  };
  const expected = Array.from({ length: 200 }, (_, at) => String(at));
  const missing = spawnSync('which', ['logrotate']).status !== 0 || process.getuid?.() !== 0;

  it.skipIf(missing)(
    'by rename loses nothing and counts nothing twice (skipped without logrotate or root)',
    async () => {
      const { lines, stats } = await rotate('create 0644 root root');
      expect(lines).toEqual(expected);
      expect(stats).toMatchObject({ lines: 200, gaps: 0 });
    },
  );

  it.skipIf(missing)('by copytruncate loses nothing that was read before, and reports each gap', async () => {
    const { lines, stats } = await rotate('copytruncate');
    expect(lines).toEqual(expected);
    expect(stats).toMatchObject({ lines: 200, gaps: 4 });
  });
});
